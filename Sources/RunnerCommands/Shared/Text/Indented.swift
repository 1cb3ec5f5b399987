/// Indents each line. Empty lines stay empty.
func indented(_ text: String, by count: Int) -> String {
  let space = String(repeating: " ", count: count)
  return text.split(separator: "\n", omittingEmptySubsequences: false)
    .map { $0.isEmpty ? "" : space + $0 }
    .joined(separator: "\n")
}
