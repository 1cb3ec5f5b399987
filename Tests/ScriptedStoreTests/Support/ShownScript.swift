import LuaBridge

@testable import ScriptedStore

/// A store of the script `app`, for which `ui` is required, and a tree that shows the store and records which views run.
func shown(
  _ app: String, state: Value? = nil, reducers: [String: Reducer] = [:]
) throws -> (scripts: Scripts, store: Store, tree: ViewTree) {
  let scripts = try Scripts(
    ["app": "local ui = require \"scripted.ui\"\n" + app], reducers: reducers)
  let store = try scripts.store(state: state)
  let tree = store.view()
  tree.recordEvaluated()
  return (scripts, store, tree)
}

/// The ids of the rows of a `forEach`.
func ids(_ node: Value) -> [Value] { (node["children"].array ?? []).map { $0["id"] } }

extension ViewTree {
  /// Records which views run from now on.
  func recordEvaluated() {
    handle.perform { [id] core, _ in core.audience.views?.recordRuns(ofLook: id, true) }
  }

  /// The places whose views have run in the last update, as `todos[3]`; empty for the root.
  var evaluated: [String] {
    inspect { $0.screen?.runs?.runs.map(\.place) } ?? []
  }

  /// The tree as it is when everything is made anew. It is the same as `value`, unless the engine is wrong.
  var madeAnew: Value { comparison.anew }

  /// The tree, and that which is made anew, of one moment: another thread may change the store between two calls.
  var comparison: (value: Value, anew: Value) {
    handle.inspect { [id] core, engine in
      guard let look = core.audience.views?.look(id) else { return nil }
      let screen = Screen(
        core.domain, engine.context, environment: look.environment, windows: look.windows,
        nodeLimit: engine.configuration.limits.viewNodes)
      _ = screen.update(to: core.shown, core.shownIndexes, of: core)
      return (look.snapshot.current, screen.tree)
    } ?? (.null, .null)
  }
}
