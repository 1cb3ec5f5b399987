#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Splits what a file descriptor delivers into lines, in as much memory as the longest of them
/// takes.
struct LineReader {
  /// In bytes. A longer line is passed over.
  static let limit = 256 << 20

  enum Step {
    case line
    case tooLong
    case end
    case interrupted
    /// With `errno`.
    case failed(Int32)
  }

  /// Of the current line, from 1.
  private(set) var number = 0
  /// Whether the current line ends with a break, as all but the last one do.
  private(set) var isWhole = true

  private let descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var current = 0..<0
  /// What is read and not yet part of a line.
  private var pending = 0..<0
  private var isPassingOver = false
  private var isAtEnd = false

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The current line, without its end.
  func withLine<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[current])) }
  }

  /// Goes on to the next line.
  mutating func advance() -> Step {
    var searched = pending.lowerBound
    while true {
      if Interruption.isRequested { return .interrupted }
      if let newline = firstNewline(in: searched..<pending.upperBound) {
        return take(newline, resumingAt: newline + 1)
      }
      if isAtEnd {
        guard !pending.isEmpty || isPassingOver else { return .end }
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
    guard isPassingOver || current.count > Self.limit else { return .line }
    isPassingOver = false
    return .tooLong
  }

  /// Leaves free space behind what is pending, which then starts the buffer.
  private mutating func makeRoom() {
    if isPassingOver || pending.count > Self.limit {
      isPassingOver = true
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

  /// Reads once. Returns `errno` after a failure.
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
