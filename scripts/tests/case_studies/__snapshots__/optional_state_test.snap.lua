-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Optional state its screen shows the counter, or that there is none [1]"] = "Optional state\n══════════════\n\n[ Toggle counter ]\nThere is no counter.",
  ["Optional state its screen shows the counter, or that there is none [2]"] = "Optional state\n══════════════\n\n[ Toggle counter ]\n[ − ] Count: 1 [ + ] [ Increment later ] [ Reset ]",
}
