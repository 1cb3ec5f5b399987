-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Navigate and load, from a list its screen opens a row, and gives back what was counted when it is closed [1]"] = "Navigate and load\n═════════════════\n\n<Counter that starts from 1>\n<Counter that starts from 42>\n<Counter that starts from 100>",
}
