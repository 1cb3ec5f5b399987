import Dispatch
import LuaBridge
import ScriptedStore
import Synchronization

/// A script that is checked, or that says something of those that are.
struct ScriptFile {
  let file: TestFile
  let source: [UInt8]
  /// Nil if it is not Lua.
  let analysis: ScriptAnalysis?
  /// Where Lua compiles what the parser does not know.
  let unreadLine: Int?

  init(_ file: TestFile) throws(ScriptError) {
    self.file = file
    source = try ScriptRoot.Script(name: file.path, path: file.path).read()
    switch Reading().analysis(of: source) {
    case .success(let read):
      analysis = read
      unreadLine = nil
    case .failure(let error):
      analysis = nil
      unreadLine = error.position.line
    }
  }

  /// Definitions for editors, which nobody runs.
  var isMeta: Bool { source.starts(with: "---@meta".utf8) }

  var isTest: Bool { file.name.hasSuffix("_test.lua") || file.name.hasSuffix("_spec.lua") }

  /// What `require` calls it.
  var moduleNames: [String] {
    guard file.name.hasSuffix(".lua") else { return [] }
    let name = file.name.dropLast(4).split(separator: "/").joined(separator: ".")
    return name.hasSuffix(".init") ? [name, String(name.dropLast(5))] : [name]
  }

  /// The column of a place, from 1, in characters as Unicode has them.
  func column(of position: SourcePosition) -> Int {
    let start = source[..<position.offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return source[start..<position.offset].count { $0 & 0xC0 != 0x80 } + 1
  }
}

/// Reads a script on a thread whose stack has room for as many levels as Lua reads, whatever stack the caller has.
private final class Reading: Sendable {
  typealias Outcome = Result<ScriptAnalysis, LuaSyntaxError>

  private let outcome = Mutex<Outcome?>(nil)
  private let done = DispatchSemaphore(value: 0)

  func analysis(of source: [UInt8]) -> Outcome {
    let hasStarted = TestThread.start {
      self.outcome.withLock { $0 = Self.read(source) }
      self.done.signal()
    }
    guard hasStarted else { return Self.read(source) }
    done.wait()
    let outcome = outcome.withLock { outcome in
      let read = outcome
      outcome = nil
      return read
    }
    return outcome ?? Self.read(source)
  }

  private static func read(_ source: [UInt8]) -> sending Outcome {
    do throws(LuaSyntaxError) {
      return .success(ScriptAnalysis(try LuaParser.parse(source)))
    } catch {
      return .failure(error)
    }
  }
}

/// How the scripts of a folder are to be loaded.
struct ScriptRoles {
  private let byName: [String: ScriptInspection.Role]

  /// Modules of tests alone: what requires `scripted.test` or busted's modules, directly or not.
  init(_ scripts: [ScriptFile]) {
    let required = Dictionary(
      scripts.map { ($0.file.name, Set($0.analysis?.required.map(\.name) ?? [])) },
      uniquingKeysWith: { $1 })
    var testing = Set(scripts.filter(\.isTest).flatMap(\.moduleNames))
    testing.formUnion(["scripted.test", "busted", "luassert"])
    // Who requires what, to follow it from the inside out.
    var users: [String: [ScriptFile]] = [:]
    var new = Array(testing)
    for script in scripts {
      for name in required[script.file.name] ?? [] {
        users[name, default: []].append(script)
        if name.hasPrefix("luassert.") && testing.insert(name).inserted { new.append(name) }
      }
    }
    while let name = new.popLast() {
      for user in users[name] ?? [] {
        for module in user.moduleNames where testing.insert(module).inserted { new.append(module) }
      }
    }
    let modules = required.values.reduce(into: Set()) { $0.formUnion($1) }
    byName = Dictionary(
      scripts.map { script in
        let names = script.moduleNames
        let role: ScriptInspection.Role =
          if script.isTest || names.contains(where: testing.contains) {
            .test
          } else if script.analysis?.chunk.usesArguments == true,
            !names.contains(where: modules.contains)
          {
            .stub
          } else {
            .module
          }
        return (script.file.name, role)
      }, uniquingKeysWith: { $1 })
  }

  subscript(script: ScriptFile) -> ScriptInspection.Role { byName[script.file.name] ?? .module }
}
