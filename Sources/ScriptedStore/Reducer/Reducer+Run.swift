import CLua
import LuaBridge

extension Reducer {
  /// Reduces at once, in the body of a reducer in Swift, with all of this reducer's composition, and returns the effect
  /// for the body to return: sharing logic with a child, as TCA's features call each other's `reduce`. What
  /// `Child.run(state.child, action, deps)` is in Lua.
  ///
  /// The effects belong to the place of the reducer that returns them, and send the actions as this one sends them, which
  /// is why they are mapped there. They can be returned in the VM that they come from only.
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
  /// Keep the reducer: each one that is made is compiled when it first runs, except ``script(_:)``, which is known by
  /// its module. Throws a ``ScriptError``, and then leaves the state as it was: if the state is no array or object, if
  /// what it runs raises, and outside of a reducer's body.
  ///
  /// - Complexity: that of the action, and O(1).
  public func run(_ state: inout Value, _ action: Action) throws(ScriptError) -> Effect {
    guard let within = sl_within() else {
      throw ScriptError("\(origin): `run` is for the body of a reducer, while that runs")
    }
    let context = Unmanaged<ReduceContext>.fromOpaque(within).takeUnretainedValue()
    guard let runs = context.directRuns else { throw ScriptError("\(origin): there is no store") }
    return try runs.run(self, &state, action)
  }
}
