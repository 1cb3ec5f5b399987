import CLua
import LuaBridge

/// A Swift closure as a reducer.
final class SwiftReduceNode: ReducerNode {
  private let body: Reducer.Body

  init(_ body: @escaping Reducer.Body, origin: String) {
    self.body = body
    super.init(origin: origin, feature: origin)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    let action = Action(trusted: Value(borrowing: action.slot))
    return try reduceInSwift(context, draft) { [body] state in try body(&state, action) }
  }
}

extension ReducerNode {
  /// Lets a closure change what is under a draft, and returns its effect.
  func reduceInSwift(
    _ context: ReduceContext, _ draft: Int32, _ body: (inout Value) throws -> Effect
  ) throws(ScriptError) -> ReturnedEffects {
    let old = try context.current(draft)
    var state = Value(borrowing: old)
    context.current = Unmanaged.passUnretained(self)
    let effect: Effect
    // Proof: it is looked at in the body alone, and the context has called that.
    let outer = sl_enter(Unmanaged.passUnretained(context).toOpaque())
    defer { _ = sl_enter(outer) }
    do {
      effect = try body(&state)
    } catch let error as ScriptError {
      throw error
    } catch {
      throw ScriptError("\(error)", cause: error)
    }
    let new = state.ownedSlot()
    guard !new.isIdentical(to: old) else {
      new.release()
      return returned(effect, context)
    }
    guard new.isContainer else {
      new.release()
      throw ScriptError("\(origin): the state of a reducer must stay an array or object")
    }
    do throws(DraftError) {
      try context.arena.pointee.replace(draft, by: new)
    } catch {
      throw ScriptError("\(origin): \(error.message)")
    }
    return returned(effect, context)
  }

  private func returned(_ effect: Effect, _ context: ReduceContext) -> ReturnedEffects {
    guard let node = effect.node else { return .none }
    guard node.hasCode else { return .effect(node, .passUnretained(self), nil) }
    let owner = EffectOwner(
      self, nil, context.dependencies.takeUnretainedValue(), dependencies: nil,
      action: context.action, generation: 0)
    return .effect(node, .passUnretained(self), owner)
  }
}
