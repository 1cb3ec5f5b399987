import Platform

/// The fields of a query, as `page=1&name=my+cat.png`. Fields that are not UTF-8 are left out, and of two with one name the last
/// one counts.
func queryFields(_ query: Substring) -> [String: String] {
  var fields: [String: String] = [:]
  for pair in query.split(separator: "&") {
    let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    // Forms write a blank as a plus.
    let text = String((parts.count == 2 ? parts[1] : "").map { $0 == "+" ? " " : $0 })
    if let value = percentDecoded(text[...]) { fields[String(parts[0])] = value }
  }
  return fields
}

/// Decodes `%XX`; nil if that is no text in UTF-8.
func percentDecoded(_ text: Substring) -> String? {
  var bytes: [UInt8] = []
  var rest = text.utf8[...]
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      bytes.append(byte)
      continue
    }
    let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == 2 else { return nil }
    bytes.append(UInt8(digits[0] << 4 | digits[1]))
    rest = rest.dropFirst(2)
  }
  return String(validating: bytes, as: UTF8.self)
}
