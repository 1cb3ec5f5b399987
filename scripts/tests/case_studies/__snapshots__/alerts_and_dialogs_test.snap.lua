-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Alerts and dialogs their screen draws what is presented, and what a button puts in its place [1]"] = "Alerts and dialogs\n══════════════════\n\nCount: 0\n[ Alert ] [ Confirmation dialog ]",
  ["Alerts and dialogs their screen draws what is presented, and what a button puts in its place [2]"] = "Alerts and dialogs\n══════════════════\n\nCount: 0\n[ Alert ] [ Confirmation dialog ]\n\n┌ dialog ────────────────────────────────┐\n│ Confirmation dialog                    │\n│ This is a confirmation dialog.         │\n│                                        │\n│ [ Cancel ] [ Increment ] [ Decrement ] │\n└────────────────────────────────────────┘",
}
