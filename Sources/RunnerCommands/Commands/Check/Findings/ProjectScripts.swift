/// All scripts of a project, with what findings ask of them, found by name: a question about a script costs
/// nothing for each other one.
struct ProjectScripts {
  let all: [ScriptFile]
  private let roles: ScriptRoles
  private var byModule: [String: ScriptFile] = [:]
  /// The scripts that require a module, as indices into `all`, by the module's name.
  private var requiring: [String: [Int]] = [:]
  /// How often a text stands in the scripts.
  private var texts: [String: Int] = [:]
  /// The scripts that have a name as a field or as a word of a text, as indices into `all`.
  private var mentioning: [String: [Int]] = [:]
  /// Scripts that cannot be read may have any text.
  private var hasUnread = false
  /// Whether a feature outside of tests has `reduce`, which sees all actions.
  private(set) var hasReduce = false
  /// Whether a feature outside of tests sees all actions, or may: its patterns are unknown.
  private(set) var mayHandleAnything = false
  /// The patterns of features outside of tests, from each of their names on.
  private(set) var patterns = PatternNames()
  /// The same without the first name, which is that of a child.
  private(set) var childPatterns = PatternNames()

  init(_ scripts: [ScriptFile], _ roles: ScriptRoles) {
    all = scripts
    self.roles = roles
    for (index, script) in scripts.enumerated() {
      for module in script.moduleNames where byModule[module] == nil { byModule[module] = script }
      for name in script.mentionedNames { mentioning[name, default: []].append(index) }
      guard let analysis = script.analysis else {
        hasUnread = true
        continue
      }
      for module in Set(analysis.required.map(\.name)) {
        requiring[module, default: []].append(index)
      }
      for text in analysis.chunk.strings { texts[text, default: 0] += 1 }
    }
    for script in scripts where roles[script] != .test {
      mayHandleAnything = mayHandleAnything || script.seesAllActions
      for feature in script.analysis?.features ?? [] {
        hasReduce = hasReduce || feature.definition?.field("reduce") != nil
        for pattern in feature.patterns.compactMap(\.string) {
          let names = PatternNames.names(of: pattern)
          for start in names.indices {
            patterns.insert(names[start...])
            if start > 0 { childPatterns.insert(names[start...]) }
          }
        }
      }
    }
  }

  func isTest(_ script: ScriptFile) -> Bool { roles[script] == .test }

  /// The script of a module.
  func script(ofModule name: String) -> ScriptFile? { byModule[name] }

  /// The scripts that require a script.
  func users(of script: ScriptFile) -> [ScriptFile] {
    Set(script.moduleNames.flatMap { requiring[$0] ?? [] }).sorted().map { all[$0] }
  }

  /// The scripts that have a name as a field or as a word of a text.
  func mentioning(_ name: String) -> [ScriptFile] {
    mentioning[name, default: []].map { all[$0] }
  }

  /// Whether a text stands once in all scripts.
  func hasOnce(_ text: String) -> Bool { !hasUnread && texts[text] == 1 }
}

/// Names of patterns in a row, as `done`, `result`, `success`.
struct PatternNames {
  private var whole: Set<ArraySlice<Substring>> = []
  private var beginnings: Set<ArraySlice<Substring>> = []

  /// The names in a pattern without what stands in brackets: `todos` and `toggle` of `todos[*].toggle`.
  static func names(of pattern: String) -> [Substring] {
    pattern.split(separator: ".").map { $0.prefix { $0 != "[" } }
  }

  mutating func insert(_ names: ArraySlice<Substring>) {
    whole.insert(names)
    for end in names.indices { beginnings.insert(names[...end]) }
  }

  /// Whether inserted names are the first ones of these, all of them, or all of them and more.
  func match(_ names: ArraySlice<Substring>) -> Bool {
    beginnings.contains(names) || names.indices.contains { whole.contains(names[...$0]) }
  }
}

extension ScriptFile {
  /// Whether the script has a reducer that sees all actions, or patterns that are unknown.
  fileprivate var seesAllActions: Bool {
    guard let analysis else { return true }
    return analysis.features.contains { feature in
      guard let definition = feature.definition, definition.field("reduce") == nil else {
        return true
      }
      guard let on = definition.field("on") else { return false }
      return on.tableFields.map { $0.count != feature.patterns.count } ?? true
    }
  }

  /// The names of the fields that the script reads and writes, and the words of its texts. All words of a script that
  /// cannot be read.
  fileprivate var mentionedNames: Set<String> {
    guard let analysis else {
      return Set(ScriptAnalysis.words(of: String(decoding: source, as: UTF8.self)))
    }
    var names: Set<String> = []
    for index in analysis.chunk.indexes {
      if case .index(_, let key) = index.kind, let name = key.string { names.insert(name) }
    }
    for text in Set(analysis.chunk.strings) { names.formUnion(ScriptAnalysis.words(of: text)) }
    return names
  }
}
