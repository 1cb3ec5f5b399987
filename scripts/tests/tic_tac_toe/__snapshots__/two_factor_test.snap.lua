-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["TwoFactor its screen takes a code of four digits [1]"] = "Confirmation code\n═════════════════\n\nThe code that was sent to you is 1234.\n\nCode: (1234)__\n[ Submit ] (disabled)",
}
