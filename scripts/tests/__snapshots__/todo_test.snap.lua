-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Todo its screen renames and completes [1]"] = "[ ] (Untitled todo)_",
  ["Todo its screen renames and completes [2]"] = "[x] Buy milk_",
}
