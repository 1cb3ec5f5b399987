import LuaBridge
import Platform
import RunnerShared
import ScriptedStore

/// The options of a task in a `.busted` file. The file is Lua text and can do what tests can do, so
/// it is read only for plain Lua libraries.
struct BustedFile {
  /// The fields of the task, and those of `_all` that it does not have.
  private var fields: [String: LuaValue] = [:]

  /// No options.
  init() {}

  /// Reads a file.
  ///
  /// - Parameter task: The name of the task; nil for `default`, which need not exist.
  init(_ path: String, task: String?) throws(ScriptError) {
    let text: [UInt8]
    do throws(FileFault) {
      text = try WholeFile.read(path)
    } catch {
      throw ScriptError("cannot read \(path): \(error)")
    }
    let vm = try LuaVM()
    let natives = try vm.makeNatives()
    try vm.openPlain(natives)
    guard case .table(let globals) = try natives.get("globals") else {
      throw ScriptError("there are no stock globals")
    }
    let results = try vm.load(text, name: path, environment: globals).call()
    guard case .table(let tasks)? = results.first else {
      throw ScriptError("\(path) returns no table")
    }
    let name = task ?? "default"
    if case .table(let chosen) = try tasks.get(.string(name)) {
      try add(chosen)
    } else if task != nil {
      throw ScriptError("\(path) has no task '\(name)'")
    }
    if case .table(let all) = try tasks.get("_all") { try add(all) }
  }

  /// Adds the fields that are not there yet.
  private mutating func add(_ table: LuaTable) throws(ScriptError) {
    for (key, value) in try table.entries() {
      if let key = key.string, fields[key] == nil { fields[key] = value }
    }
  }

  /// A text; nil if the field is absent or empty.
  func text(_ name: String) -> String? {
    switch fields[name] {
    case .string(let text)?: text.isEmpty ? nil : text
    case .integer(let number)?: String(number)
    default: nil
    }
  }

  func flag(_ name: String) -> Bool? {
    if case .boolean(let flag)? = fields[name] { flag } else { nil }
  }

  func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

  /// A text or a list of texts, as a list; nil if the field is absent.
  func list(_ name: String) throws(ScriptError) -> [String]? {
    if case .table(let list)? = fields[name] { return try list.elements().compactMap(\.string) }
    return text(name).map { [$0] }
  }

  /// The fields that would change results, and that the runner does not follow.
  var ignored: [String] {
    var names = ["e", "directory"].filter { fields[$0] != nil }
    if flag("auto-insulate") == false { names.append("auto-insulate") }
    return names
  }
}
