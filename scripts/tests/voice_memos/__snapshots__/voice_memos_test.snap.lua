-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["VoiceMemos its screen is drawn [with memos]"] = "Voice memos\n═══════════\n\nIdea____                                                           1:05 [ Play ]\n(Untitled, 2030-01-01 00:00)_                                      0:10 [ Play ]\n\n[ Record ]\nTo record, this needs the microphone. [ Open settings ]",
  ["VoiceMemos its screen is drawn [without memos]"] = "Voice memos\n═══════════\n\nNo memos yet.\n[ Record ]",
  ["VoiceMemos its screen records, and shows for how long [1]"] = "Voice memos\n═══════════\n\nNo memos yet.\n\nRecording\n  0:01 [ Stop ]",
}
