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
