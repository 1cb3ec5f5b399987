import LuaBridge
import ScriptedStore

extension Scripts {
  /// A host whose script `app` is a feature App that has declared `names` and reads `deps` in its only handler,
  /// `go`, whose body this is.
  convenience init(
    reading names: [String], _ body: String, dependencies: [String: Dependency] = [:],
    context: DependencyContext = .live, before: String = "", operators: String = ""
  ) throws {
    let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
    try self.init(
      [
        "app": before + """

          local App = scripted.feature {
            name = "App", dependencies = { \(list) },
            on = { go = function(state, action, deps) \(body) end },
          }
          return App\(operators)
          """
      ],
      dependencies: Dependencies(dependencies), context: context)
  }

  /// Sends `go` to a new store; what `state.result` is then.
  @discardableResult
  func go(_ payload: Value? = nil) throws -> Value {
    let store = try self.store()
    try store.send("go", payload)
    return store.state["result"]
  }

  /// The message of what `go` raises in a new store.
  func goFails(_ payload: Value? = nil) throws -> String? {
    let before = errors.count
    try go(payload)
    return errors.count > before ? errors.last?.message : nil
  }
}

extension Dependencies {
  init(_ live: [String: Dependency]) {
    self.init()
    for (name, dependency) in live { register(name, live: dependency) }
  }
}
