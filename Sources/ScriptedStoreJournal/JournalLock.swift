#if Journal
import Platform
import ScriptedStore

/// The ownership of a journal: a lock on a file beside it, which ends with the process. The file has the number of the process,
/// and stays.
final class JournalLock: Sendable {
  private let descriptor: Int32

  /// - Parameters:
  ///   - path: the journal's file, without links, so that each of its names leads to one lock.
  ///   - name: the journal's name for messages.
  init(_ path: String, _ name: String) throws(JournalError) {
    let file = "\(path)-lock"
    descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw JournalError(
        .notWritten,
        "\(name) cannot be locked: \(file) cannot be opened (\(FileFault.last)); make the folder one that this user may write"
      )
    }
    // If this throws, the end of this object, whose properties are all set, closes the file. Closing it here too could close
    // another file that got its number.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let fault = FileFault.last
      guard errno == EWOULDBLOCK else {
        throw JournalError(.notWritten, "\(name) cannot be locked: \(file): \(fault)")
      }
      throw JournalError(.inUse, "\(name) is in use by \(JournalLock.text(of: descriptor))")
    }
    ftruncate(descriptor, 0)
    _ = OrdinaryFile.put(Array("\(getpid())\n".utf8), into: descriptor)
  }

  private static func text(of descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0, let text = String(bytes: bytes[..<count].prefix { $0 != 10 }, encoding: .utf8),
      let process = Int32(text)
    else { return "another process; end that, or use another file" }
    return process == getpid()
      ? "this process already; close the other host first"
      : "process \(process); end that, or use another file"
  }

  deinit {
    // A process that this one is starting has the file too until its program begins, and the lock with it.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
#endif
