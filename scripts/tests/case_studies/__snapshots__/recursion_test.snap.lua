-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Recursion its screen has rows in rows [1]"] = "(Untitled)_                                                          [ Add row ]",
  ["Recursion its screen has rows in rows [2]"] = "(Untitled)_                                                          [ Add row ]\n▾ 1 row\n  Blob____                                                           [ Add row ]\n  ▾ 1 row\n    (Untitled)_                                                      [ Add row ]",
}
