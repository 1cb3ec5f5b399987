-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Binding basics its screen disables what one of them says [1]"] = "Bindings\n════════\n\nText: (Type here)_ (disabled)\n[x] Disable other controls\nLargest value of the slider: [-] 10 [+] (disabled)\nSlider: [#####-----] 5 (disabled)",
  ["Binding basics its screen sends what each control says [1]"] = "Bindings\n════════\n\nText: (Type here)_\n[ ] Disable other controls\nLargest value of the slider: [-] 10 [+]\nSlider: [#####-----] 5",
}
