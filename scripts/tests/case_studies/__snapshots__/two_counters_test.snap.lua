-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Two counters their screen counts in each for itself [1]"] = "Two counters\n════════════\n\nCounter 1\n  [ − ] Count: 0 [ + ] [ Increment later ] [ Reset ] (disabled)\n\nCounter 2\n  [ − ] Count: 0 [ + ] [ Increment later ] [ Reset ] (disabled)",
}
