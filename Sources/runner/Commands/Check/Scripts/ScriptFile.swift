import Dispatch
import LuaBridge
import ScriptedStore
import Synchronization

/// A script with its text and the analysis of it.
struct ScriptFile {
  let file: FoundFile
  let source: [UInt8]
  /// Nil if the parser does not accept the script.
  let analysis: ScriptAnalysis?
  /// The source line at which the parser failed; nil if it did not fail. If Lua compiles the script
  /// nevertheless, this line is reported as `unread`.
  let unreadLine: Int?

  init(_ file: FoundFile) throws(ScriptError) {
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

  /// True for a file of type definitions for editors, which no program loads.
  var isMeta: Bool { source.starts(with: "---@meta".utf8) }

  var isTest: Bool { file.name.hasSuffix("_test.lua") || file.name.hasSuffix("_spec.lua") }

  /// The names under which `require` finds the script. A file `init.lua` has two.
  var moduleNames: [String] {
    guard file.name.hasSuffix(".lua") else { return [] }
    let name = file.name.dropLast(4).split(separator: "/").joined(separator: ".")
    return name.hasSuffix(".init") ? [name, String(name.dropLast(5))] : [name]
  }

  /// The column of a position, from 1, counted in Unicode scalars.
  func column(of position: SourcePosition) -> Int {
    let start = source[..<position.offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return source[start..<position.offset].count { $0 & 0xC0 != 0x80 } + 1
  }
}

/// Parses a script on a thread with an 8 MiB stack, so that the nesting that Lua allows fits
/// whatever stack the caller has. Falls back to the calling thread if no thread can be started.
private final class Reading: Sendable {
  typealias Outcome = Result<ScriptAnalysis, LuaSyntaxError>

  private let outcome = Mutex<Outcome?>(nil)
  private let done = DispatchSemaphore(value: 0)

  func analysis(of source: [UInt8]) -> Outcome {
    do throws(ScriptError) {
      try BlockingThread.run {
        self.outcome.withLock { $0 = Self.read(source) }
        self.done.signal()
      }
    } catch {
      return Self.read(source)
    }
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

/// The role in which each script is loaded: module, test or stub.
struct ScriptRoles {
  private let byName: [String: ScriptInspection.Role]

  /// Gives each script its role:
  ///
  /// - test: a test file, or a module that requires `scripted.test`, `busted`, `luassert` or a test
  ///   file, directly or through other modules;
  /// - stub: a script that reads `...` and that no script requires;
  /// - module: all other scripts.
  init(_ scripts: [ScriptFile]) {
    let required = Dictionary(
      scripts.map { ($0.file.name, Set($0.analysis?.required.map(\.name) ?? [])) },
      uniquingKeysWith: { $1 })
    var testing = Set(scripts.filter(\.isTest).flatMap(\.moduleNames))
    testing.formUnion(["scripted.test", "busted", "luassert"])
    // The scripts that require each module, to propagate `testing` from a module to the scripts
    // that require it.
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
