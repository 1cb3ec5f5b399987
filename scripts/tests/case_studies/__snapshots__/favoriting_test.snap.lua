-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Favoriting its screen is a toggle in each row [1]"] = "Episodes\n════════\n\nFunctions                                                           [ ] Favorite\nSide effects                                                        [ ] Favorite\nAlgebraic data types                                                [ ] Favorite\nParsers                                                             [ ] Favorite",
}
