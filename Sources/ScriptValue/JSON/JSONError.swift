/// The reason why a text is not valid JSON, and its location.
///
/// The location is the first byte that could not be accepted. For an error about a whole duplicate
/// key, number or string, it is the first byte of that key, number or string.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, without the location: `duplicate key "id"`.
  public let message: String
  /// The line, from 1. Lines end with a line feed.
  public let line: Int
  /// The column, from 1, in Unicode scalars. Each byte that does not continue a UTF-8 sequence
  /// counts as one column.
  public let column: Int
  /// The location as an offset in bytes, from 0.
  public let offset: Int

  /// The location and the message: `3:14: duplicate key "id"`.
  public var description: String { "\(line):\(column): \(message)" }

  init(_ fault: JSONFault, in text: UnsafeBufferPointer<UInt8>) {
    offset = fault.offset
    var line = 1
    var column = 1
    for byte in text[..<min(fault.offset, text.count)] {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    self.line = line
    self.column = column
    message = fault.message(in: text)
  }
}

/// The error that ``JSONReader`` throws internally. The line and the column are only computed when an
/// error is reported.
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
