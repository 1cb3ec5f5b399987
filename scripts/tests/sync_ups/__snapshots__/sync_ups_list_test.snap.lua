-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["SyncUpsList its screen says when there are none [1]"] = "Daily sync-ups\n══════════════\n\nNo sync-ups yet.\n\n[ Add sync-up ]",
  ["SyncUpsList its screen shows who meets, and for how long [1]"] = "Daily sync-ups\n══════════════\n\n<Design>                                                      6 attendees, 1 min\n<Engineering>                                                2 attendees, 10 min\n<Product>                                                    2 attendees, 30 min\n<Alone>                                                         1 attendee, 1:30\n\n[ Add sync-up ]",
}
