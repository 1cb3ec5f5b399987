import LuaBridge
import ScriptedStore

/// A folder with a test file and the modules that it requires, and what happened when its tests ran.
final class TestFolder: Sendable {
  let folder: TemporaryFolder
  let file: ScriptTestFile

  static let name = "app_test.lua"

  /// - Parameters:
  ///   - source: the test file's.
  ///   - modules: further scripts, by name.
  init(
    _ source: String, modules: [String: String] = [:],
    configuration: ScriptTestFile.Configuration = .init()
  ) throws {
    folder = try TemporaryFolder()
    for (name, text) in modules { try folder.write(text, to: "\(name).lua") }
    try folder.write(source, to: Self.name)
    file = try ScriptTestFile(
      "\(folder.path)/\(Self.name)", root: folder.path, configuration: configuration)
  }

  /// The same file and its modules, loaded anew.
  func reload(
    _ configuration: ScriptTestFile.Configuration = .init()
  ) throws -> ScriptTestFile {
    try ScriptTestFile(
      "\(folder.path)/\(Self.name)", root: folder.path, configuration: configuration)
  }

  /// Runs tests and returns their results.
  @discardableResult
  func run(_ tests: [ScriptTest]? = nil, retries: Int = 0) -> [ScriptTestResult] {
    file.results(tests, retries: retries)
  }
}

extension ScriptTestFile {
  func results(_ tests: [ScriptTest]? = nil, retries: Int = 0) -> [ScriptTestResult] {
    var results: [ScriptTestResult] = []
    run(tests, retries: retries) { event in
      if case .ended(let result) = event { results.append(result) }
      return true
    }
    return results
  }
}

extension ScriptTestResult {
  var failures: [ScriptTestFailure] {
    if case .failed(let failures) = outcome { failures } else { [] }
  }

  /// `passed`, `skipped`, or the kinds of its failures.
  var word: String {
    switch outcome {
    case .passed: "passed"
    case .skipped: "skipped"
    case .failed(let failures): failures.map(\.kind.rawValue).joined(separator: ", ")
    }
  }
}

/// `name: word` for each.
func words(_ results: [ScriptTestResult]) -> [String] {
  results.map { "\($0.test.name): \($0.word)" }
}
