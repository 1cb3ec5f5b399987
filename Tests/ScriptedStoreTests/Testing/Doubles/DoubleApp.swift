import LuaBridge
import ScriptedStore

/// A store in the test context of one feature whose handlers a test writes, and doubles that statements of the test
/// use as a test script does: inside of the VM, outside of actions.
final class DoubleApp {
  let scripts: Scripts
  let store: Store
  private var statements = 0

  /// - Parameters:
  ///   - on: handlers, as in the field `on` of a feature. They note things by `note(text)`.
  ///   - doubles: names of doubles that handlers and statements see as locals, with the expressions that make them.
  ///   - overrides: `deps` of the feature, as expressions.
  ///   - operators: what follows those overrides.
  init(
    _ on: String, doubles: [(String, String)] = [("clock", "test.clock()")],
    overrides: [String: String] = ["clock": "clock"], uses: [String] = [], locals: String = "",
    operators: String = "", dependencies: Dependencies = Dependencies(),
    context: DependencyContext = .test
  ) throws {
    let names = (overrides.keys + uses).sorted().map { "\"\($0)\"" }.joined(separator: ", ")
    let made = doubles.map { "local \($0) = \($1)" }.joined(separator: "; ")
    let given = (doubles.map(\.0) + ["note", "trace", "test"]).map { "\($0) = \($0)" }
    let taken = (doubles.map(\.0) + ["note", "test"]).map { "local \($0) = doubles.\($0)" }
    let overriding = overrides.sorted { $0.key < $1.key }.map { ":dependency(\"\($0)\", \($1))" }
    locale = "local doubles = require 'doubles'; \(taken.joined(separator: "; ")); "
    scripts = try Scripts(
      [
        "doubles": """
        local test = require "scripted.test"; \(made)
        local trace = {}
        local function note(text) trace[#trace + 1] = tostring(text) end
        return { \(given.joined(separator: ", ")) }
        """,
        "app": """
        \(locale)\(locals)
        return scripted.feature {
          name = "App", state = { count = 0 }, dependencies = { \(names) },
          on = {
            \(on)
          },
        }\(overriding.joined())\(operators)
        """,
      ], dependencies: dependencies, context: context)
    store = try scripts.store()
  }

  private let locale: String

  /// Runs statements as a test does, for what they return.
  @discardableResult
  func test(_ lua: String) throws -> Value {
    statements += 1
    let name = "statement\(statements)"
    try scripts.folder.write(
      Scripts.locals + locale
        + "local function statements() \(lua) end return scripted.feature { state = { result = statements() } }",
      to: "\(name).lua")
    return try scripts.host.store(name).state["result"]
  }

  /// What statements raise, nil if they do not.
  func failure(_ lua: String) -> String? { scriptError { try test(lua) }?.message }

  func send(_ paths: String...) throws { for path in paths { try store.send(path) } }

  /// What was noted until now, and what went wrong.
  var trace: [String] {
    let noted = (try? test("return doubles.trace"))?.array?.compactMap(\.string) ?? []
    let wrong = scripts.errors.map(\.description) + [problems].compactMap(\.self)
    return noted + wrong.map { "wrong: \($0)" }
  }

  /// What a test hears of with its next statement, without the place of that and the paths of scripts; nil if nothing
  /// went wrong.
  var problems: String? {
    let failure = try? test(
      """
      local stream = test.stream()
      local ok, failure = pcall(stream.finish, stream)
      return not ok and tostring(failure):gsub("^%S+ ", "") or nil
      """)
    return failure?.string?.replacing(/[^ (]*\//, with: "")
  }
}
