-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["LongLiving its screen counts as long as it is there [1]"] = "Screenshots\n═══════════\n\nTake a screenshot of this screen.",
}
