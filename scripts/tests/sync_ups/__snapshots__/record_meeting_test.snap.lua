-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["RecordMeeting its screen has the times below each other where there is little room [1]"] = "Design\n══════\n\nMeeting: [----------] 0 %\n0:00 elapsed\n0:06 left\n\nBlob 1 is speaking\n──────────────────\n\nSpeaker 1 of 3\n\n[ Next speaker ]\n[ End meeting ]",
  ["RecordMeeting its screen shows who is speaking, and the time [1]"] = "Design\n══════\n\nMeeting: [----------] 0 %\n0:00 elapsed                                                           0:06 left\n\nBlob 1 is speaking\n──────────────────\n\nSpeaker 1 of 3\n\n[ Next speaker ] [ End meeting ]",
}
