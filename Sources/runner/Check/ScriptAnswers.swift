import LuaBridge
import ScriptedStore

/// An action that a feature sends, for those who may know whether somebody handles it.
struct SentQuestion: Sendable {
  let path: String
  /// Where the features are made that may send it.
  let places: [String]
}

/// All of them, which every script is asked: each finds those that it may know something of.
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

  /// Those about features that are made at these places, by their numbers.
  subscript(places: some Sequence<String>) -> [Int: SentQuestion] {
    var found: [Int: SentQuestion] = [:]
    for place in places { for number in numbers[place] ?? [] { found[number] = all[number] } }
    return found
  }
}

/// What a check wants to know of a script that only loading it tells.
struct ScriptQuestions: Sendable {
  var sent = SentQuestions([])
  /// Clients whose members are of interest.
  var clients: Set<String> = []
  var globals: Set<String> = []
  var modules: Set<String> = []
  var namedActions: [(module: String, name: String)] = []
}

/// What loading a script has told.
struct ScriptAnswers: Sendable {
  enum Handling: Sendable {
    case handled
    case unhandled(String, nearest: String?)
    case malformed(String)
  }

  let failure: (step: ScriptInspection.Step, error: ScriptError)?
  /// By the number of the question; those that this script knows something of.
  var handling: [Int: Handling] = [:]
  var dependencies: [String] = []
  var members: [String: [String]] = [:]
  var globals: [String: [String]] = [:]
  /// Why globals cannot be read that are none.
  var reasons: [String: String] = [:]
  /// Modules that are there although they are no files.
  var provided: Set<String> = []
  /// Functions of the modules that are no files.
  var functions: [String: [String]] = [:]
  /// What is raised for a name in `Feature.actions`, by number.
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
      // No script asks, so the message has no place in front.
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
