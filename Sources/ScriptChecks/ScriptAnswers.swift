import LuaBridge
import ScriptedStore

/// The facts about a script that loading it has given.
struct ScriptAnswers {
  let failure: (step: ScriptInspection.Step, error: ScriptError)?
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
  let nestedSharing: Set<FeatureWalk.NestedSharing>

  /// Asks a loaded script about its own text.
  init(of script: ScriptFile, _ inspection: ScriptInspection) {
    failure = inspection.failure
    sharedDeclarations = inspection.sharedDeclarations
    nestedSharing = inspection.nestedSharing
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
}

/// The features that questions are about, by the lines of their scripts. Every script is asked, because any
/// may compose them; it answers for those that it does compose.
struct AskedFeatures {
  /// The origins of the features of each question, as `todos.lua:18`.
  private let origins: [[String]]
  private var numbers: [String: [Int]] = [:]

  init(_ questions: [(script: ScriptFile, features: FeatureSet)]) {
    origins = questions.map { script, features in
      features.flatMap { script.analysis?.features[$0].lines ?? [] }.map { "\(script.name):\($0)" }
    }
    for (number, origins) in origins.enumerated() {
      for origin in origins { numbers[origin, default: []].append(number) }
    }
  }

  /// The numbers of the questions about features that a script composes, with the origins of these.
  func questions(for inspection: ScriptInspection) -> [(number: Int, origins: [String])] {
    Set(inspection.featureOrigins.flatMap { numbers[$0] ?? [] }).map { ($0, origins[$0]) }
  }
}
