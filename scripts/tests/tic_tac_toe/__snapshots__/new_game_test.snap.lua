-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["NewGame its screen begins a game once both players have a name [1]"] = "New game\n════════\n\nX player: (Blob Sr.)_\nO player: (Blob Jr.)_\n[ Let’s play ] (disabled)\n\n[ Log out ]",
}
