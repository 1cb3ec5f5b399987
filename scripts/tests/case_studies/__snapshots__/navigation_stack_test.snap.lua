-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["A navigation stack its screen goes to a screen and back [1]"] = "Root\n════\n\n<Screen A>\n<Screen B>\n<Screen C>\n<Screens A, B and C>",
  ["A navigation stack its screen goes to a screen and back [2]"] = "‹ Root\nScreen A\n════════\n\n[ − ] Count: 1 [ + ]\n[ Get fact ]\n[ Dismiss ]\n\nNavigation stack\n  [ 1. Screen A ] (disabled)\n  Total count: 1\n  [ Pop to root ]",
}
