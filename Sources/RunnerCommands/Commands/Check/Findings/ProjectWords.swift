import LuaSyntax

/// The words of all scripts, tests and recordings under a root. They show whether a name occurs
/// anywhere else, so that no finding is made about a name that is in use.
struct ProjectWords {
  /// Names that something may write: keys of table literals, assigned fields, words in recordings,
  /// and the fields in annotations. The properties of nodes are none.
  private var written: Set<String>
  /// Words in string literals.
  private var texts: Set<String> = []
  /// The lines at which a name is a field or a key, as `app.lua:3`.
  private var lines: [String: Set<String>] = [:]

  init(_ scripts: [ScriptFile], recorded: Set<String>) {
    written = recorded
    for script in scripts {
      guard let analysis = script.analysis else {
        written.formUnion(ScriptAnalysis.words(of: String(decoding: script.source, as: UTF8.self)))
        continue
      }
      texts.formUnion(analysis.words)
      written.formUnion(analysis.annotatedFields)
      for index in analysis.chunk.indexes {
        guard case .index(_, let key) = index.kind, let name = key.string else { continue }
        add(name, at: key.position, in: script, isWritten: index.isAssigned)
      }
      let properties = Set(
        analysis.viewNodes.filter { $0.kind != "host" }.flatMap(\.properties)
          .map { ObjectIdentifier($0.key) })
      for key in analysis.chunk.keys where !properties.contains(ObjectIdentifier(key)) {
        if let name = key.string { add(name, at: key.position, in: script, isWritten: true) }
      }
    }
  }

  private mutating func add(
    _ name: String, at position: SourcePosition, in script: ScriptFile, isWritten: Bool
  ) {
    lines[name, default: []].insert("\(script.file.name):\(position.line)")
    if isWritten { written.insert(name) }
  }

  /// Whether a script may write a field of this name, or a recording has it.
  func isWritten(_ name: String) -> Bool { written.contains(name) }

  /// Whether the name occurs in a string literal.
  func isInText(_ name: String) -> Bool { texts.contains(name) }

  /// Whether all occurrences of a name are at this line.
  func isOnly(_ name: String, at position: SourcePosition, in script: ScriptFile) -> Bool {
    !texts.contains(name) && lines[name] == ["\(script.file.name):\(position.line)"]
  }
}
