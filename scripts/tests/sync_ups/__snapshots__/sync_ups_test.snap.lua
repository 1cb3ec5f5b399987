-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["SyncUps its screen goes to a sync-up, to a past meeting, and back [1]"] = "‹ Design\n2030-01-01 00:00\n════════════════\n\nAttendees\n  Blob\n  Blob Jr.\n  Blob Sr.\n  Blob Esq.\n  Blob III\n  Blob I\n\nTranscript\n  We drew a circle, and then another one.",
}
