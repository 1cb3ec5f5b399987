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

  init(_ message: String, at offset: Int, in text: UnsafeBufferPointer<UInt8>) {
    self.message = message
    self.offset = offset
    var line = 1
    var column = 1
    for byte in text[..<min(offset, text.count)] {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    self.line = line
    self.column = column
  }
}
