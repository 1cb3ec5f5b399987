import Platform

/// Splits the bytes of a file descriptor into lines. The memory it uses is proportional to the
/// longest line.
///
/// buffer:  | returned | current line | \n | pending |
///
/// 1. `current` is valid until the next call of ``advance()``.
/// 2. The bytes from `next` on are read and not yet part of a returned line.
/// 3. While `isSkippingLine` is true, the bytes of a line longer than the limit are discarded. Its
///    end gives `.tooLong`.
package struct LineReader {
  /// In bytes. A longer line is skipped.
  package static let limit = 256 << 20

  package enum Step {
    case line
    case tooLong
    case end
    case interrupted
    /// The value of `errno`.
    case failed(Int32)
  }

  /// The number of the current line, from 1.
  package private(set) var number = 0
  /// True if the current line ends with a line break. Only the last line of the input may lack one.
  package private(set) var isWhole = true

  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var current = 0..<0
  private var next = 0
  private var isSkippingLine = false
  private var isAtEnd = false

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Calls `body` with the current line, without its line break.
  package func withLine<Result, Failure>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try buffer[current].withUnsafeBufferPointer { (bytes) throws(Failure) in
      try body(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Advances to the next line. Blocks until there is one.
  package mutating func advance() -> Step {
    var searched = next
    while true {
      if Interruption.isRequested { return .interrupted }
      if let newline = firstNewline(in: searched..<buffer.count) {
        return take(newline, resumingAt: newline + 1)
      }
      if isAtEnd {
        guard next < buffer.count || isSkippingLine else { return .end }
        isWhole = false
        return take(buffer.count, resumingAt: buffer.count)
      }
      if isSkippingLine || buffer.count - next > Self.limit {
        isSkippingLine = true
        next = buffer.count
      }
      buffer.removeSubrange(..<next)
      (current, next, searched) = (0..<0, 0, buffer.count)
      if let failure = fill() { return .failed(failure) }
    }
  }

  private mutating func take(_ end: Int, resumingAt next: Int) -> Step {
    number += 1
    current = self.next..<end
    self.next = next
    guard isSkippingLine || current.count > Self.limit else { return .line }
    isSkippingLine = false
    return .tooLong
  }

  /// Waits for input, and reads once. Returns `errno` after a failure.
  private mutating func fill() -> Int32? {
    Interruption.wait(for: descriptor)
    if Interruption.isRequested { return nil }
    return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { chunk in
      let count = read(descriptor, chunk.baseAddress, chunk.count)
      if count < 0 { return errno == EINTR || errno == EAGAIN ? nil : errno }
      if count == 0 { isAtEnd = true }
      buffer += UnsafeRawBufferPointer(rebasing: chunk[..<count])
      return nil
    }
  }

  private func firstNewline(in range: Range<Int>) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, !range.isEmpty,
        let found = memchr(start + range.lowerBound, 0x0A, range.count)
      else { return nil }
      return UnsafeRawPointer(found) - start
    }
  }
}
