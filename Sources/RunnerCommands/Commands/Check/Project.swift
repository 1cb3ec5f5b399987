import LuaBridge
import LuaSyntax
import ScriptedStore

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

/// The modules and dependencies that the scripts under a root can use.
struct AvailableNames {
  let root: ScriptRoot
  /// Names of modules that can be required.
  let modules: [String]
  /// Names of the dependencies that the runner, the host or any script offers. A feature can use a
  /// script's dependency only if it requires the module that declares it.
  let dependencies: Set<String>

  init(_ scripts: [ScriptFile], _ answers: [ScriptAnswers], root: ScriptRoot) {
    self.root = root
    modules =
      scripts.filter { !$0.isTest }.flatMap(\.moduleNames) + [
        "scripted", "scripted.test", "scripted.ui",
      ]
    dependencies = answers.reduce(into: Set(scripts.flatMap { $0.analysis?.declared ?? [] })) {
      $0.formUnion($1.dependencies)
    }
  }
}
