import Platform
import ScriptedStore
import Synchronization

/// Reads a recording while it is replayed. The file is read twice, because only its later lines say
/// which entries the store went back from. Memory does not depend on the number of entries:
///
/// 1. The first pass collects ``RecordingCuts``; it stores one number for each time the store went
///    back.
/// 2. The second pass returns the steps one by one, without the entries that were cut.
/// 3. The memory used is proportional to the longest line plus the cuts.
package final class RecordingInput {
  private let path: String
  private let descriptor: Int32
  private var lines: LineReader
  private var cuts = RecordingCuts()
  private var reader = RecordingReader()
  /// The first step. `begin()` has read it in order to read the lines before it.
  private var first: RecordingStep?
  /// The number of entries that `next()` has returned.
  package private(set) var count = 0

  /// Opens the recording. Returns nil if it is no ordinary file: a pipe cannot be read twice, and a
  /// device may have no end.
  package init?(_ path: String) throws {
    // The kind of the file is asked before the file is opened: to open a pipe and close it again would end its writer.
    var status = stat()
    if stat(path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
      return nil
    }
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    lines = LineReader(descriptor)
    guard descriptor >= 0 else { throw unreadable(errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The header of the recording and what else is read so far, without entries.
  package var head: Recording? { reader.recording }

  /// Makes the first pass, then reads up to the first entry. Returns the recording without entries.
  package func begin() throws -> Recording {
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

  /// Returns the next step of the recording; nil at its end.
  package func next() throws(HistoryError) -> RecordingStep? {
    let step = if let first = first.take() { first } else { try read() }
    if case .entry? = step { count += 1 }
    return step
  }

  private func read() throws(HistoryError) -> RecordingStep? {
    while true {
      switch lines.advance() {
      case .line:
        let number = lines.number
        let highest = cuts.highest(on: number)
        let step = try lines.withLine { (line) throws(HistoryError) in
          try reader.read(line, line: number, isWhole: lines.isWhole, upTo: highest)
        }
        if let step { return step }
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

/// Writes each line of a recording to a file as soon as it is recorded.
package final class RecordingFile: Sendable {
  package let path: String
  private let stream: Mutex<DescriptorWriter>
  private let observation = Mutex<StoreObservation?>(nil)

  /// Creates the file, or takes the place of a recording, and starts to write the lines of `history`.
  ///
  /// - Throws: an error with the path, if another file than a recording would be lost.
  package init(_ path: String, of history: StoreHistory) throws(HistoryError) {
    try RecordingFile.check(path)
    do throws(FileFault) {
      stream = Mutex(try DescriptorWriter(file: path, O_TRUNC))
    } catch {
      throw HistoryError("\(path) cannot be written: \(error)")
    }
    self.path = path
    let lines = history.onLine { [weak self] line in self?.write(line) }
    observation.withLock { $0 = lines }
  }

  /// Throws if a recording does not go there, before anything is opened or made for it.
  package static func check(_ path: String) throws(HistoryError) {
    guard path != "-" else {
      throw HistoryError(
        "- is standard input, where a file is read; name the file to write (./- for one of this name)"
      )
    }
    guard mayReplace(path) else {
      throw HistoryError(
        "\(path) is there, and no recording, so it is not overwritten; name another file, or remove this one"
      )
    }
  }

  /// Whether nothing but an older recording is lost if the file is overwritten. A pipe or a device loses nothing.
  private static func mayReplace(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
    if path.hasSuffix(".lua") { return false }
    if status.st_size == 0 { return true }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { _ = Platform.close(descriptor) }
    var lines = LineReader(descriptor)
    guard descriptor >= 0, case .line = lines.advance() else { return false }
    var reader = RecordingReader()
    _ = try? lines.withLine { try reader.read($0, line: 1, isWhole: lines.isWhole) }
    return reader.recording != nil
  }

  private func write(_ line: String) {
    stream.withLock { $0.write(Array(line.utf8) + [UInt8(ascii: "\n")]) }
  }

  /// Stops recording and closes the file. Returns the reason if a write failed.
  package func close() -> String? {
    observation.withLock { $0?.cancel() }
    return stream.withLock { stream in
      stream.close()
      return stream.failure.map { "\(path): \(errorText($0))" }
    }
  }
}
