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

  func text(of name: String) -> String? {
    state.withLock { $0.contents[name] }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Writes a file, or removes it (nil), as another program would.
  func edit(_ name: String, _ text: String?) {
    state.withLock { state in
      state.contents[name] = text.map { Array($0.utf8) }
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

  // MARK: The host

  /// Throws the failure that the test wants for a file.
  func requireNoFailure(_ name: String) throws(SharedStorageError) { try perform(name) { _ in } }

  private func perform<R>(
    _ name: String, _ body: (inout State) -> R
  ) throws(SharedStorageError) -> R {
    let result = state.withLock { state -> Result<R, SharedStorageError> in
      if let code = state.failures[name] ?? state.failures[nil] {
        return .failure(SharedStorageError(code: code, message: "the test lets it fail"))
      }
      return .success(body(&state))
    }
    return try result.get()
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
