-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Refreshable its screen counts and refreshes [1]"] = "Refreshable\n═══════════\n\n[ − ] Count: 0 [ + ]\nRefresh to see a fact about the number.\n\n[ Refresh ] [ Cancel ]",
}
