import LuaBridge
import ScriptedStore

/// The facts about a script that loading it has given.
struct ScriptAnswers: Sendable {
  enum Handling: Sendable {
    case handled
    case unhandled(String, nearest: String?)
    case malformed(String)
  }

  enum Placing: Sendable {
    case placed
    case failed(PlacementFailure)
  }

  let failure: (step: ScriptInspection.Step, error: ScriptError)?
  /// Answers to questions about sent actions, by the question's number. Has no entry for a feature
  /// that this script does not compose.
  var handling: [Int: Handling] = [:]
  /// Answers to questions about placed children, in the same way.
  var placing: [Int: Placing] = [:]
  /// Names of the dependencies that a feature of this script can declare or use.
  var dependencies: [String] = []
  /// The member names of each dependency; has no entry where they are unknown before the dependency
  /// is used.
  var members: [String: [String]] = [:]
  /// The globals of the script, with the field names of those that are Lua libraries.
  var globals: [String: [String]] = [:]
  /// The messages of functions of Lua's libraries that scripts may not call, by name: `os.getenv`.
  var refusals: [String: String] = [:]
  /// The messages that Lua raises for undefined globals, by name.
  var reasons: [String: String] = [:]
  /// Names of required modules that exist without a file, such as `scripted`.
  var provided: Set<String> = []
  /// The function names of the modules without a file, by the module's name.
  var functions: [String: [String]] = [:]
  /// The messages that reading a name of `Feature.actions` raises, by the index of the action in
  /// `ScriptQuestions.namedActions`.
  var actionFailures: [Int: String] = [:]
  /// The keys that features of this script share.
  let sharedDeclarations: [ScriptInspection.SharedDeclaration]
  let nestedSharing: [ScriptInspection.NestedSharing]

  init(_ inspection: ScriptInspection, _ questions: ScriptQuestions) {
    failure = inspection.failure
    sharedDeclarations = inspection.sharedDeclarations
    nestedSharing = inspection.nestedSharing
    for (number, question) in questions.sent[inspection.featureOrigins] {
      handling[number] = Self.handling(of: question, in: inspection)
    }
    for (number, question) in questions.placed[inspection.featureOrigins] {
      placing[number] = Self.placing(of: question, in: inspection)
    }
    dependencies = inspection.dependencies
    for client in questions.clients { members[client] = inspection.members(of: client) }
    globals = inspection.globals
    refusals = inspection.refusals
    for name in questions.globals where globals[name] == nil {
      reasons[name] = inspection.reason(forGlobal: name)
    }
    provided = questions.modules.filter(inspection.provides)
    functions = inspection.modules
    if case .loading? = failure?.step { return }
    for (number, action) in questions.namedActions.enumerated() {
      let error = inspection.failure(ofAction: action.name, of: action.module)
      // The error has no source line, because no script raises it. Lua then puts `?: ` before the
      // message.
      actionFailures[number] = error.map { String($0.message.trimmingPrefix("?: ")) }
    }
  }

  private static func handling(
    of question: FeatureQuestion<String>, in inspection: ScriptInspection
  ) -> Handling? {
    do throws(ScriptError) {
      let answer = try inspection.unhandled(
        question.subject, byFeatureAt: question.origins)
      guard answer.isKnown else { return nil }
      return answer.name.map { .unhandled($0, nearest: answer.nearest) } ?? .handled
    } catch {
      return .malformed(error.message)
    }
  }

  private static func placing(
    of question: FeatureQuestion<PlacedChild>, in inspection: ScriptInspection
  ) -> Placing? {
    let child = question.subject
    let answer = inspection.placementFailure(
      child.placement, at: child.path, byFeatureAt: question.origins)
    guard answer.isKnown else { return nil }
    return answer.failure.map(Placing.failed) ?? .placed
  }
}

/// A question about features, as whether a reducer handles an action that one of them sends. Each script
/// that composes one of the features can answer.
struct FeatureQuestion<Subject: Sendable>: Sendable {
  let subject: Subject
  /// The origins of the features, as `todos.lua:18`.
  let origins: [String]

  init(_ subject: Subject, _ features: FeatureSet, of script: ScriptFile) {
    self.subject = subject
    let lines = features.flatMap { script.analysis?.features[$0].lines ?? [] }
    origins = lines.map { "\(script.file.name):\($0)" }
  }
}

/// All questions of one kind. Every script is asked; it answers those about features that it composes.
final class FeatureQuestions<Subject: Sendable>: Sendable {
  private let all: [FeatureQuestion<Subject>]
  private let numbers: [String: [Int]]

  init(_ questions: [FeatureQuestion<Subject>]) {
    all = questions
    var numbers: [String: [Int]] = [:]
    for (number, question) in questions.enumerated() {
      for origin in question.origins { numbers[origin, default: []].append(number) }
    }
    self.numbers = numbers
  }

  /// Returns the questions about features with one of these origins, by their numbers.
  subscript(origins: some Sequence<String>) -> [Int: FeatureQuestion<Subject>] {
    var found: [Int: FeatureQuestion<Subject>] = [:]
    for origin in origins { for number in numbers[origin] ?? [] { found[number] = all[number] } }
    return found
  }
}

/// The questions about a script that can be answered only by loading it.
struct ScriptQuestions: Sendable {
  /// The paths of sent actions.
  var sent = FeatureQuestions<String>([])
  /// The children that views place.
  var placed = FeatureQuestions<PlacedChild>([])
  /// Names of dependencies whose members are read.
  var clients: Set<String> = []
  /// Names of globals that the script reads or assigns.
  var globals: Set<String> = []
  /// Names of modules that the script requires.
  var modules: Set<String> = []
  var namedActions: [(module: String, name: String)] = []
}

extension ScriptQuestions {
  /// The questions about the script's own text, together with those about features that any script may
  /// compose.
  init(
    _ script: ScriptFile, sent: FeatureQuestions<String>, placed: FeatureQuestions<PlacedChild>
  ) {
    self.sent = sent
    self.placed = placed
    guard let analysis = script.analysis else { return }
    clients = Set(analysis.reads.filter { $0.member != nil }.map(\.name))
    globals = Set(NameFindings.globals(of: analysis).map(\.name))
    modules = Set(analysis.required.map(\.name))
    namedActions = analysis.namedActions.map { ($0.module, $0.name) }
  }
}
