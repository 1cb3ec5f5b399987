-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Game its screen says whose turn it is, and who has won [1]"] = "Tic-tac-toe\n═══════════\n\nBlob Sr. plays X.\n[   ]  [   ]  [   ]\n[   ]  [   ]  [   ]\n[   ]  [   ]  [   ]\n\n[ Quit ]",
  ["Game its screen says whose turn it is, and who has won [2]"] = "Tic-tac-toe\n═══════════\n\nBlob Sr. has won.\n[ X ]  [   ]  [   ]\n[ X ]  [ O ]  [   ]\n[ X ]  [ O ]  [   ]\n\n[ Play again ] [ Quit ]",
}
