import Platform

/// Splits the bytes of a file descriptor into lines. The memory it uses is proportional to the
/// longest line.
///
/// buffer:  | free | current line | \n | pending | free |
///
/// 1. `current` is valid until the next call of ``advance()``.
/// 2. `pending` is read and not yet part of a returned line. It begins after the line break of the
///    current line.
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
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var current = 0..<0
  /// The bytes that are read and not yet part of a line, as a range of `buffer`.
  private var pending = 0..<0
  private var isSkippingLine = false
  private var isAtEnd = false

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Calls `body` with the current line, without its line break.
  package func withLine<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[current])) }
  }

  /// Advances to the next line. Blocks until there is one.
  package mutating func advance() -> Step {
    var searched = pending.lowerBound
    while true {
      if Interruption.isRequested { return .interrupted }
      if let newline = firstNewline(in: searched..<pending.upperBound) {
        return take(newline, resumingAt: newline + 1)
      }
      if isAtEnd {
        guard !pending.isEmpty || isSkippingLine else { return .end }
        isWhole = false
        return take(pending.upperBound, resumingAt: pending.upperBound)
      }
      makeRoom()
      searched = pending.upperBound
      if let failure = fill() { return .failed(failure) }
    }
  }

  private mutating func take(_ end: Int, resumingAt next: Int) -> Step {
    number += 1
    current = pending.lowerBound..<end
    pending = next..<pending.upperBound
    guard isSkippingLine || current.count > Self.limit else { return .line }
    isSkippingLine = false
    return .tooLong
  }

  /// Moves the pending bytes to the start of the buffer, and grows the buffer if it is full.
  private mutating func makeRoom() {
    if isSkippingLine || pending.count > Self.limit {
      isSkippingLine = true
      pending = 0..<0
    }
    if pending.lowerBound > 0 {
      let count = pending.count
      buffer.withUnsafeMutableBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        memmove(start, start + pending.lowerBound, count)
      }
      pending = 0..<count
    }
    if pending.upperBound == buffer.count {
      buffer.append(contentsOf: repeatElement(0, count: buffer.count))
    }
  }

  /// Waits for input, and reads once. Returns `errno` after a failure.
  private mutating func fill() -> Int32? {
    Interruption.wait(for: descriptor)
    if Interruption.isRequested { return nil }
    let start = pending.upperBound
    let count = buffer.withUnsafeMutableBytes { bytes in
      read(descriptor, bytes.baseAddress.map { $0 + start }, bytes.count - start)
    }
    if count < 0 { return errno == EINTR || errno == EAGAIN ? nil : errno }
    if count == 0 { isAtEnd = true }
    pending = pending.lowerBound..<start + count
    return nil
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
