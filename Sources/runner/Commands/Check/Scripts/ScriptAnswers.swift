import LuaBridge
import ScriptedStore

/// An action that a feature sends. Each script that composes the feature can answer whether a
/// reducer handles the action.
struct SentQuestion: Sendable {
  let path: String
  /// The origins of the features that may send it, as `todos.lua:18`.
  let places: [String]
}

/// The questions about all sent actions. Every script is asked; it answers those about features
/// that it composes.
final class SentQuestions: Sendable {
  private let all: [SentQuestion]
  private let numbers: [String: [Int]]

  init(_ questions: [SentQuestion]) {
    all = questions
    var numbers: [String: [Int]] = [:]
    for (number, question) in questions.enumerated() {
      for place in question.places { numbers[place, default: []].append(number) }
    }
    self.numbers = numbers
  }

  /// Returns the questions about features with one of these origins, by their numbers.
  subscript(places: some Sequence<String>) -> [Int: SentQuestion] {
    var found: [Int: SentQuestion] = [:]
    for place in places { for number in numbers[place] ?? [] { found[number] = all[number] } }
    return found
  }
}

/// The questions about a script that can be answered only by loading it.
struct ScriptQuestions: Sendable {
  var sent = SentQuestions([])
  /// Names of dependencies whose members are read.
  var clients: Set<String> = []
  /// Names of globals that the script reads or assigns.
  var globals: Set<String> = []
  /// Names of modules that the script requires.
  var modules: Set<String> = []
  var namedActions: [(module: String, name: String)] = []
}

/// The facts about a script that loading it has given.
struct ScriptAnswers: Sendable {
  enum Handling: Sendable {
    case handled
    case unhandled(String, nearest: String?)
    case malformed(String)
  }

  let failure: (step: ScriptInspection.Step, error: ScriptError)?
  /// Answers to questions about sent actions, by the question's number. Has no entry for a feature
  /// that this script does not compose.
  var handling: [Int: Handling] = [:]
  /// Names of the dependencies that a feature of this script can declare or use.
  var dependencies: [String] = []
  /// The member names of each dependency; has no entry where they are unknown before the dependency
  /// is used.
  var members: [String: [String]] = [:]
  /// The globals of the script, with the field names of those that are Lua libraries.
  var globals: [String: [String]] = [:]
  /// The messages that Lua raises for undefined globals, by name.
  var reasons: [String: String] = [:]
  /// Names of required modules that exist without a file, such as `scripted`.
  var provided: Set<String> = []
  /// The function names of the modules without a file, by the module's name.
  var functions: [String: [String]] = [:]
  /// The messages that reading a name of `Feature.actions` raises, by the index of the action in
  /// `ScriptQuestions.namedActions`.
  var actionFailures: [Int: String] = [:]

  init(_ inspection: ScriptInspection, _ questions: ScriptQuestions) {
    failure = inspection.failure
    for (number, question) in questions.sent[inspection.places] {
      handling[number] = Self.handling(of: question, in: inspection)
    }
    dependencies = inspection.dependencies
    for client in questions.clients { members[client] = inspection.members(of: client) }
    globals = inspection.globals
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
    of question: SentQuestion, in inspection: ScriptInspection
  ) -> Handling? {
    do throws(ScriptError) {
      let answer = try inspection.unhandled(question.path, byFeatureAt: question.places)
      guard answer.isKnown else { return nil }
      return answer.name.map { .unhandled($0, nearest: answer.nearest) } ?? .handled
    } catch {
      return .malformed(error.message)
    }
  }
}
