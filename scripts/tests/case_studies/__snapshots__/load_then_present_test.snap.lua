-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Load, then present its screen waits, then shows the sheet [1]"] = "Load then present\n═════════════════\n\n[ Load a counter ]",
  ["Load, then present its screen waits, then shows the sheet [2]"] = "Load then present\n═════════════════\n\n[ Load a counter ]\n\n┌ sheet ────────────────────────────────────────────────────────┐\n│ [ − ] Count: 0 [ + ] [ Increment later ] [ Reset ] (disabled) │\n└───────────────────────────────────────────────────────────────┘",
}
