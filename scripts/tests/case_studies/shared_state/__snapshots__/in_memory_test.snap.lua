-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["A value shared in memory its screen counts in one tab, and shows in the other [1]"] = "Shared in memory\n════════════════\n\n( [Counter] | Profile )\n\n[ − ] Count: 0 [ + ]\n[ Is this prime? ]",
  ["A value shared in memory its screen counts in one tab, and shows in the other [2]"] = "Shared in memory\n════════════════\n\n( Counter | [Profile] )\n\nCount: 1\nLargest count: 1\nSmallest count: 0\nNumber of counts: 1\n[ Reset ]",
}
