-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Counter its screen counts by its buttons [1]"] = "[ − ] Count: 0 [ + ] [ Increment later ] [ Reset ] (disabled)",
}
