import Dispatch
import LuaBridge
import LuaSyntax
import Synchronization

/// The text of a script, with its analysis.
package struct ScriptFile {
  /// The name in messages: relative to the script root if the script is in it, else a path.
  let name: String
  /// The path that opens the file. Findings have it.
  let path: String
  let source: [UInt8]
  /// Nil if the parser does not accept the script.
  let analysis: ScriptAnalysis?
  /// The source line at which the parser failed; nil if it did not fail. If Lua compiles the script
  /// nevertheless, this line is reported as `unread`.
  let unparsedLine: Int?
  /// The names under which `require` finds the script. A file `init.lua` has two.
  let moduleNames: [String]

  package init(name: String, path: String) throws(ScriptError) {
    self.name = name
    self.path = path
    moduleNames = Self.moduleNames(of: name)
    source = try ScriptRoot.Script(name: path, path: path).read()
    switch AnalysisThread().analysis(of: source) {
    case .success(let read):
      analysis = read
      unparsedLine = nil
    case .failure(let error):
      analysis = nil
      unparsedLine = error.position.line
    }
  }

  /// Whether a file of this name has tests.
  package static func isTest(_ name: String) -> Bool {
    name.hasSuffix("_test.lua") || name.hasSuffix("_spec.lua")
  }

  var isTest: Bool { Self.isTest(name) }

  /// True for a file of type definitions for editors, which no program loads.
  var isMeta: Bool { source.starts(with: "---@meta".utf8) }

  /// The names of the modules that the script requires by a literal name.
  var requiredModules: Set<String> { Set(analysis?.required.map(\.name) ?? []) }

  private static func moduleNames(of file: String) -> [String] {
    guard file.hasSuffix(".lua") else { return [] }
    let name = file.dropLast(4).split(separator: "/").joined(separator: ".")
    return name.hasSuffix(".init") ? [name, String(name.dropLast(5))] : [name]
  }

  /// The column of a position, from 1, counted in Unicode scalars.
  func column(of position: SourcePosition) -> Int {
    let start = source[..<position.offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return source[start..<position.offset].count { $0 & 0xC0 != 0x80 } + 1
  }

  /// All words of the text.
  var words: [String] { ScriptAnalysis.words(of: String(decoding: source, as: UTF8.self)) }
}

/// Parses a script on a thread with an 8 MiB stack, so that the nesting that Lua allows fits
/// whatever stack the caller has. Falls back to the calling thread if no thread can be started.
private final class AnalysisThread: Sendable {
  typealias Outcome = Result<ScriptAnalysis, LuaSyntaxError>

  private let outcome = Mutex<Outcome?>(nil)
  private let done = DispatchSemaphore(value: 0)

  func analysis(of source: [UInt8]) -> Outcome {
    let started: Void? = try? BlockingThread.run {
      self.outcome.withLock { $0 = Self.read(source) }
      self.done.signal()
    }
    guard started != nil else { return Self.read(source) }
    done.wait()
    return outcome.withLock { $0.take() } ?? Self.read(source)
  }

  private static func read(_ source: [UInt8]) -> sending Outcome {
    do throws(LuaSyntaxError) {
      return .success(ScriptAnalysis(try LuaParser.parse(source)))
    } catch {
      return .failure(error)
    }
  }
}
