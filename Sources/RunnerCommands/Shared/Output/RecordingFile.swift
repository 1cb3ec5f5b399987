import Platform
import ScriptedStore
import Synchronization

/// Writes each line of a recording to a file as soon as it is recorded.
final class RecordingFile: Sendable {
  let path: String
  private let stream: Mutex<DescriptorWriter>
  private let observation = Mutex<StoreObservation?>(nil)

  /// Creates the file or truncates it, and starts to write the lines of `history`.
  init(_ path: String, of history: StoreHistory) throws(FileFault) {
    stream = Mutex(try DescriptorWriter(file: path, O_TRUNC))
    self.path = path
    let lines = history.onLine { [weak self] line in self?.write(line) }
    observation.withLock { $0 = lines }
  }

  private func write(_ line: String) {
    stream.withLock { $0.write(Array(line.utf8) + [UInt8(ascii: "\n")]) }
  }

  /// Stops recording and closes the file. Returns the reason if a write failed.
  func close() -> String? {
    observation.withLock { $0?.cancel() }
    return stream.withLock { stream in
      stream.close()
      return stream.failure.map { "\(path): \(errorText($0))" }
    }
  }
}
