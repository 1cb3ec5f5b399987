-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Onboarding its screen goes on when a page is filled in [1]"] = "Welcome\n═══════\n\n[ Sign up ]",
  ["Onboarding its screen goes on when a page is filled in [2]"] = "‹ Welcome\nBasics\n══════\n\nEmail: blob@example.com_\nPassword: ****____\nPassword again: *****___\n  ! The passwords differ.\n[ Next ] (disabled)",
  ["Onboarding its screen goes on when a page is filled in [3]"] = "‹ Topics\nSummary\n═══════\n\nBasics\n  Email: blob@example.com\n  Password: ••••\n  [ Edit ]\n\nPersonal info\n  Name: Blob McBlob\n  Phone number: +44 1234\n  [ Edit ]\n\nTopics\n  Effects\n  [ Edit ]\n\n[ Submit ]",
}
