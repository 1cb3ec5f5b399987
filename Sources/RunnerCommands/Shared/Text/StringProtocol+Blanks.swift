extension StringProtocol {
  var trimmed: String {
    var rest = self[...]
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return String(rest)
  }

  /// The first word, and the rest without blanks at its ends.
  var splitAtBlank: (first: String, rest: String) {
    guard let blank = firstIndex(where: \.isWhitespace) else { return (String(self), "") }
    return (String(self[..<blank]), self[blank...].trimmed)
  }
}
