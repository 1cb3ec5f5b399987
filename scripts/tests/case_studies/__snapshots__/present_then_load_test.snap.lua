-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Present, then load its screen is the sheet at once, and the counter in it later [1]"] = "Present then load\n═════════════════\n\n[ Show a counter ]\n\n┌ sheet ─────┐\n│ Counter    │\n│ ═══════    │\n│            │\n│ Loading: … │\n└────────────┘",
}
