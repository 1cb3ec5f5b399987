-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["A value in the application's storage its screen counts in one tab, and resets in the other [1]"] = "Stored with the application\n═══════════════════════════\n\n( [Counter] | Profile )\n\n[ − ] Count: 0 [ + ]\n[ Is this prime? ]",
}
