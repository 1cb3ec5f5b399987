import ScriptedStore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that has each line of a recording as soon as it is there.
final class RecordingFile: Sendable {
  let path: String
  private let stream: Mutex<OutputStream>
  private let observation = Mutex<Observation?>(nil)

  /// What was in the file is gone.
  init(_ path: String, of history: StoreHistory) throws(ErrorNumber) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw ErrorNumber(rawValue: errno) }
    self.path = path
    stream = Mutex(OutputStream(descriptor))
    let lines = history.onLine { [weak self] line in self?.write(line) }
    observation.withLock { $0 = lines }
  }

  private func write(_ line: String) {
    stream.withLock { $0.write(Array(line.utf8) + [UInt8(ascii: "\n")]) }
  }

  /// Ends it; why it could not be written, if it could not.
  func close() -> String? {
    observation.withLock { $0?.cancel() }
    return stream.withLock { stream in
      stream.close()
      return stream.failure.map { "\(path): \(errorText($0))" }
    }
  }
}
