-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["SyncUpForm its screen cannot be saved without a title [1]"] = "Sync-up\n═══════\n\nInfo\n  Title: ________\n  Minutes: [#---------] 5\n  Theme: [ bubblegum ▾ ]\n\nAttendees\n  (Name)__\n\n  [ New attendee ]\n\n[ Cancel ] [ Save ] (disabled)",
}
