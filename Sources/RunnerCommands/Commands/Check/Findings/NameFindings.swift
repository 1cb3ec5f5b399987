import LuaBridge
import LuaSyntax
import ScriptView
import ScriptedStore

/// Finds unknown names in a script: globals, fields, modules, dependencies and actions. It works on
/// the text, so it also covers functions that never run.
struct NameFindings {
  private(set) var findings: [Finding] = []
  private let script: ScriptFile
  private let role: ScriptInspection.Role
  private let answers: ScriptAnswers
  private let names: AvailableNames

  init(
    _ script: ScriptFile, _ role: ScriptInspection.Role, _ answers: ScriptAnswers,
    _ names: AvailableNames
  ) {
    self.script = script
    self.role = role
    self.answers = answers
    self.names = names
    guard let analysis = script.analysis else {
      if let line = script.unparsedLine, answers.failure?.error.kind != .syntax {
        findings.append(
          Finding(
            code: .unread, path: script.file.path, line: line, column: nil,
            message: "this line is not Lua 5.4, so that only loading the script was checked",
            remedy: nil))
      }
      return
    }
    findGlobals(analysis)
    findFields(analysis)
    findPresentTimes(analysis)
    findModules(analysis)
    findDeclarations(analysis)
    findReads(analysis)
    for (number, action) in analysis.namedActions.enumerated() {
      guard let message = answers.actionFailures[number] else { continue }
      add(.unknownAction, action.position, explaining: message)
    }
  }

  private mutating func add(
    _ code: Finding.Code, _ position: SourcePosition, _ message: String, _ remedy: String? = nil
  ) {
    findings.append(script.finding(code, at: position, message, remedy))
  }

  /// Adds a finding with an error's message, whose remedy stands behind a semicolon.
  private mutating func add(
    _ code: Finding.Code, _ position: SourcePosition, explaining message: String
  ) {
    let parts = message.split(separator: "; ", maxSplits: 1).map(String.init)
    add(code, position, parts[0], parts.count > 1 ? parts[1] : nil)
  }

  private static func suggestion(_ name: String, _ known: some Sequence<String>) -> String? {
    Suggestion.nearest(to: name, in: Array(known)).map { "did you mean '\($0)'?" }
  }

  // MARK: Names

  /// The uses of names that no local declares.
  static func globals(
    of analysis: ScriptAnalysis
  ) -> [(name: String, expression: LuaExpression, locals: [String])] {
    analysis.chunk.globals.compactMap { expression, locals in
      guard case .global(let name) = expression.kind, name != "_ENV" else { return nil }
      return (name, expression, locals)
    }
  }

  private mutating func findGlobals(_ analysis: ScriptAnalysis) {
    let globals = Self.globals(of: analysis).filter { answers.globals[$0.name] == nil }
    // A test file may assign globals.
    let declared =
      role == .test ? Set(globals.filter(\.expression.isAssigned).map(\.name)).union(["_G"]) : []
    for (name, expression, locals) in globals where !declared.contains(name) {
      let message = "global '\(name)' is not declared"
      if expression.isAssigned {
        add(.unknownGlobal, expression.position, message, "use 'local'")
      } else if let reason = answers.reasons[name], !reason.hasPrefix(message) {
        // The name is a global of standard Lua that scripts do not have. The message explains this.
        add(.unknownGlobal, expression.position, reason)
      } else if analysis.chunk.locals.contains(name) {
        add(
          .unknownGlobal, expression.position, message,
          "a local of this name is declared further down, or in another block")
      } else {
        add(
          .unknownGlobal, expression.position, message,
          Self.suggestion(name, locals + answers.globals.keys))
      }
    }
  }

  /// Finds unknown fields of `scripted` and of Lua's libraries.
  private mutating func findFields(_ analysis: ScriptAnalysis) {
    // Fields that the script itself assigns.
    let assigned = Set(
      analysis.chunk.indexes.filter(\.isAssigned).compactMap(LuaReference.init))
    for index in analysis.chunk.indexes where !index.isAssigned {
      guard let reference = LuaReference(index), !assigned.contains(reference),
        let field = reference.fields.last
      else { continue }
      let owner: String
      let fields: [String]?
      switch reference.root {
      case .module(let module):
        owner = ([module] + reference.fields.dropLast()).joined(separator: ".")
        fields = owner == "scripted.ui" ? Self.elements : answers.functions[owner]
      case .global(let library):
        if let message = answers.refusals[([library] + reference.fields).joined(separator: ".")] {
          add(.unknownField, index.detail, explaining: message)
          continue
        }
        owner = library
        fields = reference.fields.count == 1 ? answers.globals[library] : nil
      }
      guard let fields, !fields.isEmpty, !fields.contains(field) else { continue }
      let counterpart = owner == "scripted.ui" ? ViewElement.counterpart(of: field) : nil
      add(
        .unknownField, index.detail, "\(owner) has no '\(field)'",
        counterpart ?? Self.suggestion(field, fields))
    }
  }

  /// Finds `os.time()` and `os.date("%c")`. With the time that is meant both may be called.
  private mutating func findPresentTimes(_ analysis: ScriptAnalysis) {
    for call in analysis.chunk.calls {
      guard case .call(let callee, let arguments) = call.kind, let reference = LuaReference(callee),
        let name = ["time", "date"].first(where: { reference == .global("os", $0) }),
        arguments.count < (name == "date" ? 2 : 1), arguments.last?.mayBeSeveral != true,
        let message = answers.refusals["os.\(name)()"]
      else { continue }
      add(.unknownField, callee.detail, explaining: message)
    }
  }

  private static let elements = ViewElement.all.map(\.kind)

  private mutating func findModules(_ analysis: ScriptAnalysis) {
    for (name, position) in analysis.required where !answers.provided.contains(name) {
      do throws(ScriptError) {
        if try names.root.module(name) != nil { continue }
        add(
          .missingModule, position, "there is no module '\(name)'",
          Self.suggestion(name, names.modules))
      } catch {
        add(.missingModule, position, error.message)
      }
    }
  }

  // MARK: Dependencies

  /// Names of the dependencies that a feature of this script can declare. If the script does not
  /// load, this is the set for all scripts.
  private var offered: Set<String> {
    if case .loading? = answers.failure?.step { return names.dependencies }
    return Set(answers.dependencies)
  }

  private mutating func findDeclarations(_ analysis: ScriptAnalysis) {
    for expression in analysis.features.flatMap(\.declarations) {
      guard let name = expression.string, !offered.contains(name) else { continue }
      add(
        .unknownDependency, expression.position, "there is no dependency '\(name)'",
        remedy(forDependency: name))
    }
  }

  private func remedy(forDependency name: String) -> String {
    if names.dependencies.contains(name) { return "require the module that declares it" }
    return Self.suggestion(name, names.dependencies)
      ?? "declare it with scripted.dependency, or name it with --dependency if the host offers it"
  }

  private mutating func findReads(_ analysis: ScriptAnalysis) {
    for read in analysis.reads {
      if let member = read.member {
        guard let members = answers.members[read.name], !members.contains(member) else { continue }
        add(
          .unknownDependency, read.position, "deps.\(read.name) has no '\(member)'",
          Self.suggestion(member, members) ?? "it has \(members.joined(separator: ", "))")
      } else if !ScriptInspection.undeclaredDependencies.contains(read.name) {
        check(read, of: read.features.sorted().map { analysis.features[$0] })
      }
    }
  }

  private mutating func check(
    _ read: ScriptAnalysis.DependencyRead, of features: [ScriptAnalysis.Feature]
  ) {
    let name = read.name
    guard !read.isOpen, let first = features.first else {
      if !names.dependencies.contains(name) {
        add(
          .unknownDependency, read.position, "there is no dependency '\(name)'",
          remedy(forDependency: name))
      }
      return
    }
    // No finding if one of the features that share the function declares the dependency, or if the
    // declarations of one are unknown.
    guard features.allSatisfy({ $0.dependencies?.contains(name) == false }) else { return }
    let user = first.name ?? "the feature"
    if offered.contains(name) {
      add(
        .undeclaredDependency, read.position, "\(user) uses deps.\(name) without declaring it",
        "add \"\(name)\" to its dependencies")
    } else {
      add(
        .unknownDependency, read.position,
        "\(user) uses deps.\(name), but there is no such dependency", remedy(forDependency: name))
    }
  }
}
