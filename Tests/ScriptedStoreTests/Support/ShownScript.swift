import LuaBridge
import ScriptedStore

/// A store of the script `app`, in which `ui` is there as well, and one who looks at it, whose views are recorded when they run.
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
