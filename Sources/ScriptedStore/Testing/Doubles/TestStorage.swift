import LuaBridge
import Synchronization

/// The files of the shared values of one test. They are in memory, and the test may write them as another
/// program would.
final class TestStorage: SharedStorage {
  private struct State {
    var contents: [String: [UInt8]] = [:]
    /// The codes of the failures that the test wants, by names of files; nil for all files.
    var failures: [String?: String] = [:]
    /// The files that the test has changed since they were read.
    var edited: Set<String> = []
    /// The times before which files are not written again, in microseconds on the clock of the test.
    var earliest: [String: Int64] = [:]
    /// The times that ``earliest`` gets for files that are written now.
    var next: [String: Int64] = [:]
  }

  private let state = Mutex(State())
  /// The tables of `database` keys.
  let database = MemoryDatabase()

  /// Whether a test has put anything here.
  var isUsed: Bool {
    database.isUsed || state.withLock { !$0.contents.isEmpty || !$0.failures.isEmpty }
  }

  // MARK: The test

  /// The names of files, sorted. Names that begin with a dot are not for people.
  var names: [String] {
    state.withLock { $0.contents.keys.filter { !$0.contains("/.") && $0.first != "." }.sorted() }
  }

  func bytes(of name: String) -> [UInt8]? { state.withLock { $0.contents[name] } }

  func text(of name: String) -> String? {
    bytes(of: name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Writes a file, or removes it (nil), as another program would.
  func edit(_ name: String, bytes: [UInt8]?) {
    state.withLock { state in
      state.contents[name] = bytes
      state.edited.insert(name)
    }
  }

  /// Lets all that is done with a file fail from now on, or no more (nil).
  ///
  /// - Parameter name: nil for all files.
  func fail(_ code: String?, _ name: String?) {
    state.withLock { state in
      if code == nil && name == nil { state.failures = [:] } else { state.failures[name] = code }
    }
  }

  /// The values of `appStorage` keys that are stored.
  ///
  /// - Parameter method: the method of `test.storage` that the error names.
  func appValues(for method: String) throws(ScriptError) -> Value.Object {
    guard let text = text(of: SharedKey.appStorageFile) else { return Value.Object() }
    guard let values = (try? Value(json: Array(text.utf8)))?.object else {
      throw ScriptError(
        "test.storage.\(method): the file \(SharedKey.appStorageFile) is no JSON object, so it has no values of appStorage keys"
      )
    }
    return values
  }

  /// Whether a file may be read and written at a time. If it is written, it may not be written again before `next`,
  /// unless the test has changed it.
  func mayWrite(_ name: String, at time: Int64, nextAt next: Int64) -> Bool {
    state.withLock { state in
      guard time >= state.earliest[name, default: time] || state.edited.contains(name) else {
        return false
      }
      state.next[name] = next
      return true
    }
  }

  /// All files may be written at any time again.
  func forgetTimes() { state.withLock { ($0.earliest, $0.next) = ([:], [:]) } }

  // MARK: The host

  /// Throws the failure that the test wants for a file.
  func requireNoFailure(_ name: String) throws(SharedStorageError) { try perform(name) { _ in } }

  private func perform<R>(
    _ name: String, _ body: (inout State) -> R
  ) throws(SharedStorageError) -> R {
    try state.withLock { (state) throws(SharedStorageError) in
      if let code = state.failures[name] ?? state.failures[nil] {
        throw SharedStorageError(code: code, message: "the test lets it fail")
      }
      return body(&state)
    }
  }

  func read(_ name: String) throws(SharedStorageError) -> [UInt8]? {
    try perform(name) { state in
      state.edited.remove(name)
      return state.contents[name]
    }
  }

  func replace(_ name: String, with bytes: [UInt8]) throws(SharedStorageError) {
    try perform(name) { state in
      state.edited.remove(name)
      state.contents[name] = bytes
      state.earliest[name] = state.next[name]
    }
  }

  func append(_ bytes: [UInt8], to name: String) throws(SharedStorageError) {
    try perform(name) { $0.contents[name, default: []] += bytes }
  }

  func move(_ name: String, to other: String) throws(SharedStorageError) {
    try perform(name) { state in
      if let bytes = state.contents.removeValue(forKey: name) { state.contents[other] = bytes }
    }
  }

  func remove(_ name: String) throws(SharedStorageError) {
    try perform(name) { _ = $0.contents.removeValue(forKey: name) }
  }

  func mayHaveChanged(_ name: String) -> Bool { state.withLock { $0.edited.contains(name) } }
}

/// The tables of the shared values of one test, in memory.
extension TestStorage: SharedDatabase {
  func read(
    _ tables: [SharedTable], in file: String
  ) throws(SharedStorageError) -> [SharedTable.Content] {
    try requireNoFailure(file)
    return database.read(tables, in: file)
  }

  func write(
    to file: String, withstandingPowerFailure: Bool,
    _ body: (any SharedTransaction) throws(SharedStorageError) -> Void
  ) throws(SharedStorageError) {
    try requireNoFailure(file)
    try database.write(to: file, withstandingPowerFailure: withstandingPowerFailure, body)
  }

  // A test writes tables with `test.shared(key):set`.
  func watch(_ handler: @escaping @Sendable (_ file: String) -> Void) {}
}
