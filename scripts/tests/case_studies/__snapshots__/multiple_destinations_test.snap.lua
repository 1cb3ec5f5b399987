-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Multiple destinations its screen presents each in its own way, and closes it [1]"] = "Multiple destinations\n═════════════════════\n\n[ Show drill-down ]\n[ Show popover ]\n[ Show sheet ]",
}
