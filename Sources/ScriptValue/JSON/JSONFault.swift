/// The error that ``JSONReader`` throws internally. It is a trivial type, so that reading without
/// an error pays nothing for it. The line and the column are only computed when an error is
/// reported.
struct JSONFault: Error {
  enum Reason {
    case unexpected
    case expected(StaticString)
    case afterValue
    case depth(Int)
    case duplicateKey
    case utf8
    case control
    case escape
    case surrogate
    case number(StaticString)
    case tooLong
    case byteOrderMark
  }

  var reason: Reason
  var offset: Int

  func message(in text: UnsafeBufferPointer<UInt8>) -> String {
    let found = found(in: text)
    switch reason {
    case .unexpected: return "unexpected \(found)"
    case .expected(let what): return "expected \(what), found \(found)"
    case .afterValue: return "\(found) after the end of the value"
    case .depth(let limit): return "more than \(limit) levels of arrays and objects"
    case .duplicateKey: return "duplicate key \(quotedText(in: text))"
    case .utf8: return "invalid UTF-8"
    case .control: return "\(found) in a string must be written as an escape"
    case .escape: return "invalid escape in a string"
    case .surrogate: return "a surrogate escape without its other half"
    case .number(let what): return "\(what)"
    case .tooLong: return "a string of more than 4 GiB"
    case .byteOrderMark: return "a byte order mark before the value"
    }
  }

  private func found(in text: UnsafeBufferPointer<UInt8>) -> String {
    guard offset < text.count else { return "end of input" }
    let byte = text[offset]
    switch byte {
    case UInt8(ascii: "\n"): return "a line break"
    case UInt8(ascii: "\t"): return "a tab"
    case 0x21..<0x7F: return "'\(Character(Unicode.Scalar(byte)))'"
    case 0x20: return "a space"
    case 0x80...:
      var codec = UTF8()
      var rest = text[offset...].makeIterator()
      if case .scalarValue(let scalar) = codec.decode(&rest) { return "'\(Character(scalar))'" }
      return "invalid UTF-8"
    default: return "a control character (byte \(byte))"
    }
  }

  /// The string that starts at `offset`, as it is written in the text, shortened if it is long.
  private func quotedText(in text: UnsafeBufferPointer<UInt8>) -> String {
    var end = offset + 1
    while end < text.count, text[end] != UInt8(ascii: "\"") {
      end += text[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    let quoted = String(decoding: text[offset..<min(end + 1, text.count)], as: UTF8.self)
    return quoted.count <= 80 ? quoted : String(quoted.prefix(78)) + "…\""
  }
}
