import ScriptedStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A recording that is replayed as it is read: in as much memory as its longest line takes, however many entries there
/// are. The file is read twice, as its end tells which entries the store has gone back from.
final class RecordingInput {
  private let path: String
  private let descriptor: Int32
  private var lines: LineReader
  private var cuts = RecordingCuts()
  private var reader = RecordingReader()
  /// The first one, which was read to know what comes before it.
  private var first: RecordingStep?
  /// How many entries were read.
  private(set) var count = 0

  /// Nil for what cannot be read twice, such as a pipe.
  init?(_ path: String) throws {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    lines = LineReader(descriptor)
    guard descriptor >= 0 else { throw unreadable(errno) }
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// What is known of the recording so far, without entries.
  var head: Recording? { reader.recording }

  /// Reads up to the first entry.
  func begin() throws -> Recording {
    scanning: while true {
      switch lines.advance() {
      case .line: lines.withLine { cuts.scan($0, line: lines.number) }
      case .tooLong: continue
      case .failed(let number): throw unreadable(number)
      case .end, .interrupted: break scanning
      }
    }
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw unreadable(errno) }
    lines = LineReader(descriptor)
    first = try read()
    return try reader.finish()
  }

  /// What the next line says of the entries; nil at the end.
  func next() throws(HistoryError) -> RecordingStep? {
    let step: RecordingStep?
    if let first {
      step = first
      self.first = nil
    } else {
      step = try read()
    }
    if case .entry? = step { count += 1 }
    return step
  }

  private func read() throws(HistoryError) -> RecordingStep? {
    while true {
      switch lines.advance() {
      case .line:
        let number = lines.number
        let highest = cuts.highest(on: number)
        let result = lines.withLine { line in
          Result { () throws(HistoryError) in
            try reader.read(line, line: number, isWhole: lines.isWhole, upTo: highest)
          }
        }
        if let step = try result.get() { return step }
      case .tooLong: throw HistoryError("line \(lines.number) is too long")
      case .failed(let number): throw HistoryError(errorText(number))
      case .end, .interrupted: return nil
      }
    }
  }

  private func unreadable(_ number: Int32) -> any Error {
    fail(.noInput, "\(path): \(errorText(number))")
  }
}
