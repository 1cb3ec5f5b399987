import LuaBridge
import LuaSyntax
import ScriptView
import ScriptedStore

/// Unknown names: globals, fields, modules, dependencies and actions. They are found in the text, so also
/// in functions that never run.
extension ScriptFindings {
  mutating func findUnknownNames(_ answers: ScriptAnswers, _ project: Project) {
    findGlobals(answers)
    findFields(answers)
    findPresentTimes(answers)
    findModules(answers, project)
    findUnknownDependencies(answers, project)
    for (number, action) in analysis.namedActions.enumerated() {
      guard let message = answers.actionFailures[number] else { continue }
      add(.unknownAction, at: action.position, explaining: message)
    }
  }

  private mutating func findGlobals(_ answers: ScriptAnswers) {
    let globals = analysis.globals.filter { answers.globals[$0.name] == nil }
    // A test file may assign globals.
    let declared =
      role == .test ? Set(globals.filter(\.expression.isAssigned).map(\.name)).union(["_G"]) : []
    for (name, expression, locals) in globals where !declared.contains(name) {
      let message = "global '\(name)' is not declared"
      if expression.isAssigned {
        add(.unknownGlobal, at: expression.position, message, "use 'local'")
      } else if let reason = answers.reasons[name], !reason.hasPrefix(message) {
        // The name is a global of standard Lua that scripts do not have. The message explains this.
        add(.unknownGlobal, at: expression.position, reason)
      } else if analysis.chunk.locals.contains(name) {
        add(
          .unknownGlobal, at: expression.position, message,
          "a local of this name is declared further down, or in another block")
      } else {
        add(
          .unknownGlobal, at: expression.position, message,
          Suggestion.question(for: name, in: locals + answers.globals.keys))
      }
    }
  }

  /// Finds unknown fields of `scripted` and of Lua's libraries.
  private mutating func findFields(_ answers: ScriptAnswers) {
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
          add(.unknownField, at: index.detail, explaining: message)
          continue
        }
        owner = library
        fields = reference.fields.count == 1 ? answers.globals[library] : nil
      }
      guard let fields, !fields.isEmpty, !fields.contains(field) else { continue }
      let counterpart = owner == "scripted.ui" ? ViewElement.counterpart(of: field) : nil
      add(
        .unknownField, at: index.detail, "\(owner) has no '\(field)'",
        counterpart ?? Suggestion.question(for: field, in: fields))
    }
  }

  /// Finds `os.time()` and `os.date("%c")`. With the time that is meant both may be called.
  private mutating func findPresentTimes(_ answers: ScriptAnswers) {
    for call in analysis.chunk.calls {
      guard case .call(let callee, let arguments) = call.kind, let reference = LuaReference(callee),
        let name = ["time", "date"].first(where: { reference == .global("os", $0) }),
        arguments.count < (name == "date" ? 2 : 1), arguments.last?.mayBeSeveral != true,
        let message = answers.refusals["os.\(name)()"]
      else { continue }
      add(.unknownField, at: callee.detail, explaining: message)
    }
  }

  private static let elements = ViewElement.all.filter { $0.group != .part }.map(\.kind)

  private mutating func findModules(_ answers: ScriptAnswers, _ project: Project) {
    for (name, position) in analysis.required where !answers.provided.contains(name) {
      do throws(ScriptError) {
        if try project.root.module(name) != nil { continue }
        add(
          .missingModule, at: position, "there is no module '\(name)'",
          Suggestion.question(for: name, in: project.modules))
      } catch {
        add(.missingModule, at: position, error.message)
      }
    }
  }
}

/// Dependencies that neither the host nor a script offers, and those that a feature uses without declaring them.
extension ScriptFindings {
  mutating func findUnknownDependencies(_ answers: ScriptAnswers, _ project: Project) {
    // Those that a feature of this script can declare; of a script that does not load, those of all.
    var offered = Set(answers.dependencies)
    if case .loading? = answers.failure?.step { offered = project.dependencies }
    for expression in analysis.features.flatMap(\.declarations) {
      guard let name = expression.string, !offered.contains(name) else { continue }
      add(
        .unknownDependency, at: expression.position, "there is no dependency '\(name)'",
        remedy(forDependency: name, project))
    }
    for read in analysis.reads {
      if let member = read.member {
        guard let members = answers.members[read.name], !members.contains(member) else { continue }
        add(
          .unknownDependency, at: read.position, "deps.\(read.name) has no '\(member)'",
          Suggestion.question(for: member, in: members)
            ?? "it has \(members.joined(separator: ", "))")
      } else if !ScriptInspection.undeclaredDependencies.contains(read.name) {
        check(read, offered, project)
      }
    }
  }

  private func remedy(forDependency name: String, _ project: Project) -> String {
    if project.dependencies.contains(name) { return "require the module that declares it" }
    return Suggestion.question(for: name, in: project.dependencies)
      ?? "declare it with scripted.dependency, or name it with --dependency if the host offers it"
  }

  private mutating func check(
    _ read: ScriptAnalysis.DependencyRead, _ offered: Set<String>, _ project: Project
  ) {
    let name = read.name
    guard !read.isOpen, !read.features.isEmpty else {
      if !project.dependencies.contains(name) {
        add(
          .unknownDependency, at: read.position, "there is no dependency '\(name)'",
          remedy(forDependency: name, project))
      }
      return
    }
    // No finding if one of the features that share the function declares the dependency, or if the
    // declarations of one are unknown.
    guard read.features.allSatisfy({ analysis.features[$0].dependencies?.contains(name) == false })
    else { return }
    let user = title(of: read.features)
    if offered.contains(name) {
      add(
        .undeclaredDependency, at: read.position, "\(user) uses deps.\(name) without declaring it",
        "add \"\(name)\" to its dependencies")
    } else {
      add(
        .unknownDependency, at: read.position,
        "\(user) uses deps.\(name), but there is no such dependency",
        remedy(forDependency: name, project))
    }
  }
}

extension ScriptAnalysis {
  /// The uses of names that no local declares.
  var globals: [(name: String, expression: LuaExpression, locals: [String])] {
    chunk.globals.compactMap { expression, locals in
      guard case .global(let name) = expression.kind, name != "_ENV" else { return nil }
      return (name, expression, locals)
    }
  }
}
