-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Todos in a database their screen adds, completes, clears and deletes [1]"] = "Todos in a database\n═══════════════════\n\n[ Add todo ] [ Fill with 1,000 ] [ Clear completed ] (disabled)\n\nNothing to do.",
}
