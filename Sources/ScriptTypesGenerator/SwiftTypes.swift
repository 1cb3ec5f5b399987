import LuaBridge
import ScriptValue
import ScriptedStore

/// Swift types for the states and actions of features: a file of Swift, made from how the features are
/// composed, their initial states, and annotations of the Lua language server.
package struct SwiftTypes {
  /// A feature, and the beginning of the names of its types; nil for its own name.
  package struct Feature: Sendable {
    package let module: String
    package let name: String?

    package init(module: String, name: String? = nil) {
      self.module = module
      self.name = name
    }
  }

  /// Who can use the types. The words are those of Swift.
  package enum Access: String, CaseIterable, Sendable {
    case `internal`, package, `public`
  }

  private let swift: SwiftText

  /// The text of the file. It depends on the scripts alone.
  package var text: String { swift.text }

  /// - Parameters:
  ///   - dependencies: names of dependencies that the host offers. None of them is called.
  /// - Throws: `ScriptError` if a feature does not load, else ``TypesError``.
  package init(
    _ features: [Feature], root: String, access: Access = .internal, dependencies: [String] = []
  ) throws {
    var offered = Dependencies()
    for name in ["files", "http"] { offered.register(name, live: .value(.object([:]))) }
    offered.standIns = Set(dependencies)
    offered.standInRemedy = {
      "name it: --dependency \($0), or in `dependencies` of ScriptTypes.json"
    }
    var configuration = ScriptHost.Configuration(dependencies: offered)
    configuration.clock = VirtualClock()
    configuration.onWarning = nil
    let host = try ScriptHost(root: root, configuration: configuration)
    let types = FeatureTypes(AnnotatedScripts(root: try ScriptRoot(root)))
    for feature in features {
      let name = try feature.name.map { name throws(TypesError) in
        guard SwiftName.type(name) == name else {
          throw TypesError(
            "'\(name)' is no name for types of Swift; one begins with an upper-case letter, as Todos",
            at: nil)
        }
        return name
      }
      let isPath = feature.module.hasSuffix(".lua")
      let module = isPath ? feature.module.dropLast(4) : feature.module[...]
      let last = module.split { $0 == "." || $0 == "/" }.last.map(String.init) ?? ""
      try types.domain(
        try host.tree(of: feature.module), named: name, else: SwiftName.type(last) ?? "Feature")
    }
    var swift = SwiftText(access)
    let modules = VisibleText.text(of: features.map(\.module).joined(separator: " "))
    let option = access == .internal ? "" : " --access \(access.rawValue)"
    swift.line("// Made by `runner swift \(modules)\(option)`. Change the scripts instead.")
    swift.line("// swift-format-ignore-file")
    swift.blankLine()
    swift.line("import ScriptedStore")
    for declaration in types.declarations + types.resolver.declarations {
      swift.blankLine()
      swift.add(declaration)
    }
    self.swift = swift
  }

  /// An error as compilers write it, `scripts/todos.lua:12: error: …`, so that editors show it at its line.
  package static func diagnostic(of error: any Error, root: String) -> String {
    let prefix = root.hasSuffix("/") ? root : root + "/"
    let (script, line, message) =
      switch error {
      case let error as TypesError: (error.script, error.line, error.message)
      case let error as ScriptError: (error.script, error.line ?? 1, error.message)
      default: (nil, 0, "\(error)")
      }
    guard let script else { return "error: \(message)" }
    return "\(script.hasPrefix("/") ? "" : prefix)\(script):\(line): error: \(message)"
  }

  /// The first line in which a file differs from these types.
  package struct Drift: Sendable {
    /// The line in the file, from 1. One beyond its last line if lines are missing there.
    package let line: Int
    /// The line that the file has; nil if it has ended.
    package let found: String?
    /// The line that the scripts make; nil if the file should have ended.
    package let expected: String?
    /// The line of a script that makes this line, or the line before.
    package let source: SourceLine?
  }

  /// Compares the text of a file. Nil if it is what these types are.
  package func drift(from text: String) -> Drift? {
    // Git may write `\r\n`, which Swift takes for one character.
    var found = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
      .map(String.init)
    if found.last == "" { found.removeLast() }
    let expected = swift.lines
    guard
      let index = (0..<max(found.count, expected.count)).first(where: {
        $0 >= found.count || $0 >= expected.count
          || TextKey(found[$0]) != TextKey(expected[$0].text)
      })
    else { return nil }
    let source =
      index < expected.count ? expected[index].source : expected.last { $0.source != nil }?.source
    return Drift(
      line: index + 1, found: index < found.count ? found[index] : nil,
      expected: index < expected.count ? expected[index].text : nil, source: source)
  }
}

/// Why there are no Swift types for a feature: the place in a script, and what to do there.
package struct TypesError: Error, Hashable, CustomStringConvertible {
  /// The script's name, relative to the root; nil for what no script can mend.
  package let script: String?
  package let line: Int
  package let message: String

  init(_ message: String, at source: SourceLine?) {
    script = source?.script
    line = source?.line ?? 0
    self.message = message
  }

  package var description: String { script.map { "\($0):\(line): \(message)" } ?? message }
}

/// A line of a script.
package struct SourceLine: Hashable, Sendable {
  /// The script's name, relative to the root.
  package let script: String
  /// From 1.
  package let line: Int

  package init(script: String, line: Int) {
    self.script = script
    self.line = line
  }

  /// Reads `todos.lua:18`, as ``ReducerTree`` has lines. Nil for a line of another form.
  init?(_ origin: String?) {
    guard let origin, let colon = origin.lastIndex(of: ":"),
      let line = Int(origin[origin.index(after: colon)...])
    else { return nil }
    self.init(script: String(origin[..<colon]), line: line)
  }
}
