import ScriptView
import ScriptedStore
import Synchronization

/// A tree that is made of the changes alone.
final class ChangedTree: Sendable {
  private let state: Mutex<(tree: Value?, failure: String?)>

  /// - Parameter tree: the tree before the first change. Without it, the tree after the first change is taken over, as another
  ///   thread may change the store before somebody observes it.
  init(_ tree: Value? = nil) { state = Mutex((tree, nil)) }

  /// Applies changes, which lead to `new`.
  func apply(_ changes: [ViewChange], to new: Value) {
    state.withLock { state in
      do {
        let changed = try state.tree?.applying(changes) ?? new
        if changed != new { state.failure = "the changes lead elsewhere" }
        state.tree = changed
      } catch {
        state.failure = "\(error)"
      }
    }
  }

  /// Nil before the first change.
  var tree: Value? { state.withLock { $0.tree } }
  /// Why changes could not be applied, or that they lead elsewhere.
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
