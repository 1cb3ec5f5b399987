-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["A binding form its screen binds each control to its field [1]"] = "Form\n════\n\nText: (Type here)_\n[ ] Disable other controls\nLargest value of the slider: [-] 10 [+]\nSlider: [#####-----] 5\n[ Reset ]",
  ["A binding form its screen binds each control to its field [2]"] = "Form\n════\n\nText: Blob____ (disabled)\n[x] Disable other controls\nLargest value of the slider: [-] 3 [+] (disabled)\nSlider: [##########] 3 (disabled)\n[ Reset ]",
}
