-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Timers its screen starts and stops by one button [1]"] = "Timers\n══════\n\n0:58\nThis minute: [##########] 97 %\n[ Start ]",
}
