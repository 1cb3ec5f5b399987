import LuaBridge
import ScriptedStore

/// A question about features, as whether a reducer handles an action that one of them sends. Each script
/// that composes one of the features can answer.
struct FeatureQuestion<Subject> {
  let subject: Subject
  /// The origins of the features, as `todos.lua:18`.
  let origins: [String]

  init(_ subject: Subject, _ features: FeatureSet, of script: ScriptFile) {
    self.subject = subject
    let lines = features.flatMap { script.analysis?.features[$0].lines ?? [] }
    origins = lines.map { "\(script.name):\($0)" }
  }
}

/// All questions of one kind. Every script is asked; it answers those about features that it composes.
struct FeatureQuestions<Subject> {
  private let all: [FeatureQuestion<Subject>]
  private var numbers: [String: [Int]] = [:]

  init(_ questions: [FeatureQuestion<Subject>]) {
    all = questions
    for (number, question) in questions.enumerated() {
      for origin in question.origins { numbers[origin, default: []].append(number) }
    }
  }

  /// The answers about features with one of these origins, by the numbers of the questions.
  func answers<Answer>(
    about origins: [String], _ answer: (FeatureQuestion<Subject>) -> Answer?
  ) -> [Int: Answer] {
    var answers: [Int: Answer] = [:]
    for number in Set(origins.flatMap { numbers[$0] ?? [] }) {
      answers[number] = answer(all[number])
    }
    return answers
  }
}

/// The facts about a script that loading it has given.
struct ScriptAnswers {
  enum Handling {
    case handled
    case unhandled(String, nearest: String?)
    case malformed(String)
  }

  enum Placing {
    case placed
    case failed(PlacementFailure)
  }

  let failure: (step: ScriptInspection.Step, error: ScriptError)?
  /// Answers to questions about sent actions, by the question's number. Has no entry for a feature
  /// that this script does not compose.
  let handling: [Int: Handling]
  /// Answers to questions about placed children, in the same way.
  let placing: [Int: Placing]
  /// Names of the dependencies that a feature of this script can declare or use.
  let dependencies: [String]
  /// The member names of each dependency; has no entry where they are unknown before the dependency
  /// is used.
  private(set) var members: [String: [String]] = [:]
  /// The globals of the script, with the field names of those that are Lua libraries.
  let globals: [String: [String]]
  /// The messages of functions of Lua's libraries that scripts may not call, by name: `os.getenv`.
  let refusals: [String: String]
  /// The messages that Lua raises for undefined globals, by name.
  private(set) var reasons: [String: String] = [:]
  /// Names of required modules that exist without a file, such as `scripted`.
  private(set) var provided: Set<String> = []
  /// The function names of the modules without a file, by the module's name.
  let functions: [String: [String]]
  /// The messages that reading a name of `Feature.actions` raises, by the index of the action in
  /// ``ScriptAnalysis/namedActions``.
  private(set) var actionFailures: [Int: String] = [:]
  /// The keys that features of this script share.
  let sharedDeclarations: [ScriptInspection.SharedDeclaration]
  let nestedSharing: [ScriptInspection.NestedSharing]

  /// Asks a loaded script about its own text, and about the features that it composes.
  init(
    of script: ScriptFile, _ inspection: ScriptInspection, sent: FeatureQuestions<String>,
    placed: FeatureQuestions<PlacedChild>
  ) {
    failure = inspection.failure
    sharedDeclarations = inspection.sharedDeclarations
    nestedSharing = inspection.nestedSharing
    let origins = inspection.featureOrigins
    handling = sent.answers(about: origins) { Self.handling(of: $0, in: inspection) }
    placing = placed.answers(about: origins) { Self.placing(of: $0, in: inspection) }
    dependencies = inspection.dependencies
    globals = inspection.globals
    refusals = inspection.refusals
    functions = inspection.modules
    guard let analysis = script.analysis else { return }
    for client in Set(analysis.reads.filter { $0.member != nil }.map(\.name)) {
      members[client] = inspection.members(of: client)
    }
    for name in Set(analysis.globals.map(\.name)) where globals[name] == nil {
      reasons[name] = inspection.reason(forGlobal: name)
    }
    provided = script.requiredModules.filter(inspection.provides)
    if case .loading? = failure?.step { return }
    for (number, action) in analysis.namedActions.enumerated() {
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
