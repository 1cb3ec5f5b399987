-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Todos its screen is drawn [1]"] = "Todos\n═════\n\n( [All] | Active | Completed )\n\n[ ] Milk____\n[x] Eggs____\n[ ] Bread___\n\n[ Add todo ] [ Edit ] [ Clear completed ] 2 left",
  ["Todos its screen moves rows while it is edited, and shows no fields then [1]"] = "Todos\n═════\n\n( [All] | Active | Completed )\n\n[ ] Milk\n[x] Eggs\n[ ] Bread\n\n[ Add todo ] [ Done ] [ Clear completed ] 2 left",
}
