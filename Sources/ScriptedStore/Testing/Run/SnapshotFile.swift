import LuaBridge
import Platform
import Synchronization

/// Which snapshots `assert.matches_snapshot` may write.
public enum SnapshotPolicy: String, Sendable, Hashable, CaseIterable {
  /// Writes snapshots that do not exist yet. One that differs fails the test.
  case new
  /// Also replaces snapshots that differ. After a run of all tests, it removes the snapshots that
  /// no test has compared.
  case update
  /// Writes nothing: a snapshot that does not exist fails the test.
  case never
}

/// The snapshots of one test file. They are stored beside it in `__snapshots__/<name>.snap.lua`, a
/// Lua file that returns a table of values by name.
///
/// 1. The file is read on first use, and is written by ``save()`` only.
/// 2. A key is `<name of the test> [<name of the snapshot>]`.
final class SnapshotFile: Sendable {
  /// The path of the snapshot file, which need not exist.
  let path: String
  private let test: String
  private let folder: String
  private let policy: SnapshotPolicy
  private let contents = Mutex(Contents())

  private struct Contents: Sendable {
    /// The values that were read, and those added since; nil until the file is read.
    var values: [String: Value]?
    var used: Set<String> = []
    var hasChanged = false
  }

  init(beside test: String, _ policy: SnapshotPolicy) {
    let slash = test.lastIndex(of: "/")
    let name = slash.map { test[test.index(after: $0)...] } ?? test[...]
    folder = (slash.map { test[...$0] } ?? "") + "__snapshots__"
    path = "\(folder)/\(name.hasSuffix(".lua") ? name.dropLast(4) : name).snap.lua"
    self.test = test
    self.policy = policy
  }

  /// Compares a value with its snapshot, and adds or replaces the snapshot if the policy allows it.
  /// Returns the reason why the value does not match, or nil.
  func compare(
    _ value: Value, _ name: String, of test: ScriptTest, in engine: Engine
  ) throws(ScriptError) -> String? {
    let key = "\(test.name) [\(name)]"
    let values = try read(in: engine)
    contents.withLock { _ = $0.used.insert(key) }
    if let expected = values[key] {
      if expected == value { return nil }
      if policy != .update {
        let difference = LuaDiff().text(from: expected, to: value) ?? ""
        return "the value differs from the snapshot \"\(key)\" in \(path):\n\(difference)"
      }
    } else if policy == .never {
      return "there is no snapshot \"\(key)\" in \(path), and none may be written"
    }
    contents.withLock { contents in
      contents.values?[key] = value
      contents.hasChanged = true
    }
    return nil
  }

  // MARK: The file

  private func read(in engine: Engine) throws(ScriptError) -> [String: Value] {
    if let known = contents.withLock({ $0.values }) { return known }
    try requireInside(engine.modules.root)
    var values: [String: Value] = [:]
    if access(path, F_OK) == 0 {
      let script = ScriptRoot.Script(name: path, path: path)
      let environment = try engine.context.vm.makeTable()
      try environment.set("null", to: .value(.null))
      let chunk = try engine.context.vm.load(
        script.read(), name: path, environment: environment)
      guard case .table(let table) = try chunk.call().at(0),
        case .object(let object) = try table.value(named: path)
      else { throw ScriptError("\(path) returns no table of snapshots") }
      for (key, value) in object { values[key] = value }
    }
    contents.withLock { [values] in $0.values = values }
    return values
  }

  /// Throws if a link leads from a test below the root to snapshots that are not.
  private func requireInside(_ root: ScriptRoot) throws(ScriptError) {
    func isInside(_ path: String) -> Bool? {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      return realPath(path).flatMap { root.relativePath(of: $0) } != nil
    }
    guard isInside(test) == true else { return }
    if isInside(folder) == false || isInside(path) == false {
      throw ScriptError(
        "\(path) leads out of the script root through a link; put a folder in its place")
    }
  }

  /// The names of snapshots that no test has compared. Call it after a run of all tests. The
  /// snapshots of `unfinished` tests are not obsolete, because these tests may have ended before
  /// they compared them. With ``SnapshotPolicy/update``, the obsolete snapshots are removed.
  func takeObsolete(
    besidesThoseOf unfinished: [ScriptTest], in engine: Engine
  ) throws(ScriptError) -> [String] {
    let prefixes = unfinished.map { "\($0.name) [" }
    let values = try read(in: engine)
    return contents.withLock { contents in
      let obsolete = values.keys.filter { key in
        !contents.used.contains(key) && !prefixes.contains { key.hasPrefix($0) }
      }
      if policy == .update && !obsolete.isEmpty {
        for key in obsolete { contents.values?[key] = nil }
        contents.hasChanged = true
      }
      return obsolete.sorted()
    }
  }

  /// Writes changed snapshots.
  func save() throws(ScriptError) {
    let changed = contents.withLock { contents in
      defer { contents.hasChanged = false }
      return contents.hasChanged ? contents.values : nil
    }
    guard let values = changed else { return }
    if values.isEmpty {
      unlink(path)
      return
    }
    var text = """
      -- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
      return {

      """
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      text += "  [\(Value.string(name))] = "
      text += LuaLayout(sortsKeys: true).text(of: value, indent: 1) + ",\n"
    }
    text += "}\n"
    do throws(FileFault) {
      guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw .last }
      try OrdinaryFile.save(Array(text.utf8), to: path)
    } catch {
      throw ScriptError("cannot write \(path): \(error)")
    }
  }
}
