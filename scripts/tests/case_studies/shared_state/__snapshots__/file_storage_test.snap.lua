-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["A value in a file its screen counts in one tab, and resets in the other [1]"] = "Stored in a file\n════════════════\n\n( Counter | [Profile] )\n\nCount: -1\nLargest count: 0\nSmallest count: -1\nNumber of counts: 1\n[ Reset ]",
}
