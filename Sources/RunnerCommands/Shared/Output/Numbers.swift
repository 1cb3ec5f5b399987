/// A number with this many decimal digits: `fixed(1.5, 2)` is `1.50`.
func fixed(_ number: Double, _ digits: Int) -> String {
  var scale = 1
  for _ in 0..<digits { scale *= 10 }
  let units = Int((max(0, min(number, 1e12)) * Double(scale)).rounded())
  guard digits > 0 else { return "\(units)" }
  let rest = "\(units % scale)"
  return "\(units / scale)." + String(repeating: "0", count: digits - rest.count) + rest
}

/// A duration for people: `8 ms`, `1.25 s`.
func duration(_ seconds: Double) -> String {
  seconds < 0.9995 ? "\(fixed(seconds * 1000, 0)) ms" : "\(fixed(seconds, 2)) s"
}

/// A number with its noun: `1 file`, `3 files`.
func count(_ number: Int, _ noun: String) -> String {
  number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
}

/// A number, or other text, at the right of a column of this width.
func padded(_ text: String, to width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}
