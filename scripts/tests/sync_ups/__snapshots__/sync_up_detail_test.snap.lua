-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["SyncUpDetail its screen is deleted after a question [1]"] = "Design\n══════\n\nInfo\n  Length: 1 min\n  Theme: (orange)\n  [ Start meeting ]\n\nPast meetings\n  <2030-01-01 00:00>\n\nAttendees\n  Blob\n  Blob Jr.\n  Blob Sr.\n  Blob Esq.\n  Blob III\n  Blob I\n\n[ Edit ] [ Delete ]\n\n┌ alert ───────────────────┐\n│ Delete?                  │\n│ Its meetings go with it. │\n│                          │\n│ [ Yes ] [ No ]           │\n└──────────────────────────┘",
  ["SyncUpDetail its screen is drawn [1]"] = "Design\n══════\n\nInfo\n  Length: 1 min\n  Theme: (orange)\n  [ Start meeting ]\n\nPast meetings\n  <2030-01-01 00:00>\n\nAttendees\n  Blob\n  Blob Jr.\n  Blob Sr.\n  Blob Esq.\n  Blob III\n  Blob I\n\n[ Edit ] [ Delete ]",
}
