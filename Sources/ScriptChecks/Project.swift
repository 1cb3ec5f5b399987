import LuaBridge
import LuaSyntax
import ScriptedStore

/// All scripts of a project, with what findings ask of them, found by name: a question about a script costs
/// nothing for each other one.
struct Project {
  let root: ScriptRoot
  /// The scripts that programs load: not those with type definitions.
  let scripts: [ScriptFile]
  /// Names of the dependencies that the runner, the host or any script offers. A feature can use a
  /// script's dependency only if it requires the module that declares it.
  var dependencies: Set<String> = []

  private let roles: [String: ScriptInspection.Role]
  private(set) var byName: [String: ScriptFile] = [:]
  private var byModule: [String: ScriptFile] = [:]
  /// The scripts that require a module, as indices into `scripts`, by the module's name.
  private var requiring: [String: [Int]] = [:]
  /// Scripts that cannot be parsed may have any text.
  private var hasUnread = false

  // MARK: Names

  /// How often a text stands in the scripts.
  private var texts: [String: Int] = [:]
  /// The scripts that have a name as a field or as a word of a text, as indices into `scripts`.
  private var mentioning: [String: [Int]] = [:]
  /// Names that something may write: keys of table literals, assigned fields, words in recordings,
  /// and the fields in annotations. The properties of nodes are none.
  private var written: Set<String>
  /// Words in recorded `.jsonl` files.
  private let recorded: Set<String>
  /// Words in string literals, which could name an action.
  private var words: Set<String> = []
  /// The lines at which a name is a field or a key, as `app.lua:3`.
  private var lines: [String: Set<String>] = [:]

  // MARK: Patterns of features outside of tests

  /// Whether a feature has `reduce`, which sees all actions.
  private(set) var hasReduce = false
  /// Whether a feature sees all actions, or may: its patterns are unknown.
  private(set) var mayHandleAnything = false
  /// The patterns, from each of their names on.
  private(set) var patterns = PatternNames()
  /// The same without the first name, which is that of a child.
  private(set) var childPatterns = PatternNames()

  /// - Parameters:
  ///   - files: all scripts under the root, and those that were named.
  ///   - recorded: the words in recordings; each word could name an action.
  init(_ files: [ScriptFile], root: ScriptRoot, recorded: Set<String>) {
    self.root = root
    self.recorded = recorded
    written = recorded
    scripts = files.filter { !$0.isMeta }
    roles = Self.roles(of: scripts)
    for (index, script) in scripts.enumerated() {
      if byName[script.name] == nil { byName[script.name] = script }
      for module in script.moduleNames where byModule[module] == nil { byModule[module] = script }
      for name in script.mentionedNames { mentioning[name, default: []].append(index) }
      for module in script.requiredModules { requiring[module, default: []].append(index) }
      for text in script.analysis?.chunk.strings ?? [] { texts[text, default: 0] += 1 }
      if script.analysis == nil { hasUnread = true }
      if role(of: script) != .test { addPatterns(of: script) }
    }
    for file in files { addNames(of: file) }
  }

  // MARK: Scripts

  func role(of script: ScriptFile) -> ScriptInspection.Role { roles[script.name] ?? .module }

  func isTest(_ script: ScriptFile) -> Bool { role(of: script) == .test }

  /// The script of a module.
  func script(ofModule name: String) -> ScriptFile? { byModule[name] }

  /// The scripts that require a script.
  func users(of script: ScriptFile) -> [ScriptFile] {
    Set(script.moduleNames.flatMap { requiring[$0] ?? [] }).sorted().map { scripts[$0] }
  }

  /// Names of modules that can be required.
  var modules: [String] {
    scripts.filter { !$0.isTest }.flatMap(\.moduleNames)
      + ["scripted", "scripted.test", "scripted.ui"]
  }

  /// Gives each script its role:
  ///
  /// - test: a test file, or a module that requires `scripted.test`, `busted`, `luassert` or a test
  ///   file, directly or through other modules;
  /// - stub: a script that reads `...` and that no script requires;
  /// - module: all other scripts.
  private static func roles(of scripts: [ScriptFile]) -> [String: ScriptInspection.Role] {
    var testing = Set(scripts.filter(\.isTest).flatMap(\.moduleNames))
    testing.formUnion(["scripted.test", "busted", "luassert"])
    // The scripts that require each module, to propagate `testing` from a module to the scripts
    // that require it.
    var users: [String: [ScriptFile]] = [:]
    var new = Array(testing)
    for script in scripts {
      for name in script.requiredModules {
        users[name, default: []].append(script)
        if name.hasPrefix("luassert.") && testing.insert(name).inserted { new.append(name) }
      }
    }
    while let name = new.popLast() {
      for user in users[name] ?? [] {
        for module in user.moduleNames where testing.insert(module).inserted { new.append(module) }
      }
    }
    var roles: [String: ScriptInspection.Role] = [:]
    for script in scripts {
      if script.isTest || script.moduleNames.contains(where: testing.contains) {
        roles[script.name] = .test
      } else if script.analysis?.chunk.usesArguments == true,
        !script.moduleNames.contains(where: { users[$0] != nil })
      {
        roles[script.name] = .stub
      }
    }
    return roles
  }

  // MARK: Names

  /// The scripts that have a name as a field or as a word of a text.
  func mentioning(_ name: String) -> [ScriptFile] {
    mentioning[name, default: []].map { scripts[$0] }
  }

  /// Whether a text stands once in all scripts.
  func hasOnce(_ text: String) -> Bool { !hasUnread && texts[text] == 1 }

  /// Whether a script may write a field of this name, or a recording has it.
  func isWritten(_ name: String) -> Bool { written.contains(name) }

  /// Whether the name occurs in a string literal.
  func isInText(_ name: String) -> Bool { words.contains(name) }

  /// Whether a script, a test or a recording may send an action of this name.
  func isSent(_ name: String) -> Bool { words.contains(name) || recorded.contains(name) }

  /// Whether all occurrences of a name are at this line.
  func isOnly(_ name: String, at line: Int, of script: ScriptFile) -> Bool {
    !words.contains(name) && lines[name] == ["\(script.name):\(line)"]
  }

  private mutating func addNames(of script: ScriptFile) {
    guard let analysis = script.analysis else { return written.formUnion(script.words) }
    words.formUnion(analysis.words)
    written.formUnion(analysis.annotatedFields)
    for index in analysis.chunk.indexes {
      guard case .index(_, let key) = index.kind else { continue }
      add(key, in: script, isWritten: index.isAssigned)
    }
    let properties = Set(
      analysis.viewNodes.filter { $0.kind != "host" }.flatMap(\.properties)
        .map { ObjectIdentifier($0.key) })
    for key in analysis.chunk.keys where !properties.contains(ObjectIdentifier(key)) {
      add(key, in: script, isWritten: true)
    }
  }

  private mutating func add(_ key: LuaExpression, in script: ScriptFile, isWritten: Bool) {
    guard let name = key.string else { return }
    lines[name, default: []].insert("\(script.name):\(key.position.line)")
    if isWritten { written.insert(name) }
  }

  // MARK: Patterns

  private mutating func addPatterns(of script: ScriptFile) {
    guard let analysis = script.analysis else {
      mayHandleAnything = true
      return
    }
    for feature in analysis.features {
      mayHandleAnything = mayHandleAnything || feature.seesAllActions
      hasReduce = hasReduce || feature.definition?.field("reduce") != nil
      for pattern in feature.patterns {
        let names = pattern.actionNames
        for start in names.indices {
          patterns.insert(names[start...])
          if start > 0 { childPatterns.insert(names[start...]) }
        }
      }
    }
  }
}

/// Names of patterns in a row, as `done`, `result`, `success`.
struct PatternNames {
  private var whole: Set<ArraySlice<String>> = []
  private var beginnings: Set<ArraySlice<String>> = []

  mutating func insert(_ names: ArraySlice<String>) {
    whole.insert(names)
    for end in names.indices { beginnings.insert(names[...end]) }
  }

  /// Whether inserted names are the first ones of these, all of them, or all of them and more.
  func match(_ names: ArraySlice<String>) -> Bool {
    beginnings.contains(names) || names.indices.contains { whole.contains(names[...$0]) }
  }
}

extension LuaExpression {
  /// The names in a pattern or path of actions that is written out, without the ids: `todos` and `toggle` of
  /// `todos[*].toggle`. None for all other expressions.
  var actionNames: [String] { string.flatMap { try? ActionPath($0) }?.names ?? [] }
}

extension ScriptAnalysis.Feature {
  /// Whether the reducer sees all actions, or its patterns are unknown.
  fileprivate var seesAllActions: Bool {
    guard let definition, definition.field("reduce") == nil else { return true }
    guard let on = definition.field("on") else { return false }
    return on.tableFields.map { $0.count != patterns.count } ?? true
  }
}

extension ScriptFile {
  /// The names of the fields that the script reads and writes, and the words of its texts. All words of a script that
  /// cannot be parsed.
  fileprivate var mentionedNames: Set<String> {
    guard let analysis else { return Set(words) }
    var names: Set<String> = []
    for index in analysis.chunk.indexes {
      if case .index(_, let key) = index.kind, let name = key.string { names.insert(name) }
    }
    for text in Set(analysis.chunk.strings) { names.formUnion(ScriptAnalysis.words(of: text)) }
    return names
  }
}
