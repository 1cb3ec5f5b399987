-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Animations their screen says in words what the host draws [1]"] = "Animations\n══════════\n\n[host: circle]\nThe circle is black.\n[ ] Big mode\n\n[ Rainbow ] [ Reset ]",
}
