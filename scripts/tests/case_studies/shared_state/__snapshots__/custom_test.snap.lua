-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["A value that functions of a script load and save its screen shows the value, and what went wrong with it [1]"] = "Settings of an account\n══════════════════════\n\nLoading: …\nSize: 12 [ Bigger ] [ Refresh ]",
}
