-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["A value that several features change its screen shows what several features change [1]"] = "Pictures of the screen\n══════════════════════\n\nPictures: 0\n[ Take a picture ]",
}
