import LuaBridge

extension Reducer {
  /// Runs this reducer at once, with everything that is composed in it, inside the body of another
  /// reducer in Swift. Returns the effect for that body to return. It shares logic with a child, as
  /// TCA's features call each other's `reduce`, and as `Child.run(state.child, action, deps)` does
  /// in Lua.
  ///
  /// The effects belong to the place of the reducer that returns them. They send the actions of
  /// this reducer, so the body maps them to its own actions, as below. They can only be returned in
  /// the VM that made them.
  ///
  /// ```swift
  /// let child = Reducer.script("child")
  /// let parent = Reducer.reduce { state, action in
  ///   guard action.path == "refreshAll" else { return .none }
  ///   return try child.run(&state["child"], Action(path: "refresh"))
  ///     .map { action in (try? Action(["type": "child", "action": action.value])) ?? action }
  /// }
  /// .scope("child", child)
  /// ```
  ///
  /// Store the reducer instead of making it anew: each new one is compiled when it first runs.
  /// Reducers from ``script(_:)`` are compiled once for each module.
  ///
  /// - Throws: a `ScriptError`, if the state is no array or object, if a reducer raises, or if no
  ///   reducer's body runs on this thread. The state stays as it was.
  ///
  /// - Complexity: that of the action, and O(1).
  public func run(_ state: inout Value, _ action: Action) throws(ScriptError) -> Effect {
    guard let within = ThreadLocals.reduceContext else {
      throw ScriptError("\(origin): `run` is for the body of a reducer, while that runs")
    }
    let context = Unmanaged<ReduceContext>.fromOpaque(within).takeUnretainedValue()
    guard let runs = context.directRuns else { throw ScriptError("\(origin): there is no store") }
    return try runs.run(self, &state, action)
  }
}
