-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Meeting shows who was there, and what was said [1]"] = "2030-01-01 00:00\n════════════════\n\nAttendees\n  Blob\n  Blob Jr.\n\nTranscript\n  We drew a circle.",
}
