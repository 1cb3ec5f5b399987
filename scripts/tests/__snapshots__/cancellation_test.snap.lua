-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Cancellation its screen offers to cancel only while something is under way [1]"] = "Cancellation\n════════════\n\nNumber: [-] 0 [+]\n[ Number fact ] (disabled) [ Cancel ] Loading: …\n<Number facts by numbersapi.com>",
  ["Cancellation its screen shows the fact about a number [1]"] = "Cancellation\n════════════\n\nNumber: [-] 0 [+]\n[ Number fact ]\n<Number facts by numbersapi.com>",
}
