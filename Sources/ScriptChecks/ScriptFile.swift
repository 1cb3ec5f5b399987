import LuaBridge
import LuaSyntax

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

  /// For main threads: a text that is nested as deeply as the parser allows takes up to 2 MiB of
  /// stack in a debug build.
  package init(name: String, path: String) throws(ScriptError) {
    self.name = name
    self.path = path
    moduleNames = Self.moduleNames(of: name)
    source = try ScriptRoot.Script(name: path, path: path).read()
    do throws(LuaSyntaxError) {
      analysis = ScriptAnalysis(try LuaParser.parse(source))
      unparsedLine = nil
    } catch {
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
