-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["City maps its screen downloads one of the maps [1]"] = "Offline downloads\n═════════════════\n\nNew York\n  Five boroughs, and more people than any other city of the country.\n  [ Download ]\n\nLos Angeles\n  Sun, films, and a long way from one end to the other.\n  [ Download ]\n\nParis\n  Twenty districts that wind like the shell of a snail.\n  [ Download ]\n\nTokyo\n  Many towns that grew into the largest city of the world.\n  [ Download ]\n\nBuenos Aires\n  Fair winds, wide avenues and late dinners.\n  [ Download ]",
}
