import ScriptView
import ScriptedStore
import Synchronization

/// A tree that is made of the changes alone.
final class ChangedTree: Sendable {
  private let state: Mutex<(tree: Value, failure: String?)>

  init(_ tree: Value) { state = Mutex((tree, nil)) }

  func apply(_ changes: [ViewChange]) {
    state.withLock { state in
      do {
        state.tree = try state.tree.applying(changes)
      } catch {
        state.failure = "\(error)"
      }
    }
  }

  var tree: Value { state.withLock { $0.tree } }
  /// Why changes could not be applied.
  var failure: String? { state.withLock { $0.failure } }
}

/// A tree without what was shown before views raised errors, which a tree that is made of nothing does not have.
func withoutPast(_ node: Value) -> Value {
  switch node {
  case .object(var object):
    if object["kind"] == "failed" {
      object["children"] = nil
    } else {
      for key in ["children"] + ViewElement.presentations {
        if let part = object[key] { object[key] = withoutPast(part) }
      }
    }
    return .object(object)
  case .array(let list): return .array(Value.List(list.map(withoutPast)))
  default: return node
  }
}
