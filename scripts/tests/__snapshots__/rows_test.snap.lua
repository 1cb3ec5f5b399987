-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Rows begin with none [1]"] = "Rows\n════\n\n[ Create 1,000 rows ] [ Create 10,000 rows ] [ Append 1,000 rows ]\n[ Update every 10th row ] [ Swap rows ] [ Clear ]",
  ["Rows have labels that a seed chooses [1]"] = "Rows\n════\n\n[ Create 1,000 rows ] [ Create 10,000 rows ] [ Append 1,000 rows ]\n[ Update every 10th row ] [ Swap rows ] [ Clear ]\n\n  1 [ cheap pink table ]                                              [ Remove ]\n> 2 [ fancy yellow desk ]                                             [ Remove ]\n  3 [ tall white bbq ]                                                [ Remove ]\n  4 [ expensive pink burger ]                                         [ Remove ]\n  5 [ angry purple burger ]                                           [ Remove ]",
}
