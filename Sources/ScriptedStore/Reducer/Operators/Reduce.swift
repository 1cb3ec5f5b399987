import LuaBridge

extension Reducer {
  /// The body of a reducer in Swift. It may change the state, an array or object, and returns an
  /// effect. An error that it throws rolls the action back.
  public typealias Body = @Sendable (_ state: inout Value, _ action: Action) throws -> Effect

  /// A reducer whose body is a Swift closure. It handles every action type of its domain, so that
  /// none is unknown there.
  public static func reduce(
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping Body
  ) -> Reducer {
    let origin = "reduce at \(file):\(line)"
    return Reducer(origin: origin) { (_, builder) throws(ScriptError) in
      builder.vocabulary.takesAll = true
      return SwiftReduceNode(body, origin: origin)
    }
  }
}

/// A reducer whose body is a Swift closure.
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
  /// Calls `body` with the state of a draft, writes the new state to the draft, and returns the
  /// effect.
  func reduceInSwift(
    _ context: ReduceContext, _ draft: Int32, _ body: (inout Value) throws -> Effect
  ) throws(ScriptError) -> ReturnedEffects {
    let old = try context.currentValue(of: draft)
    var state = Value(borrowing: old)
    context.currentNode = Unmanaged.passUnretained(self)
    let effect: Effect
    // Proof: only code that `body` calls reads this pointer, and the context outlives that call.
    let outer = ThreadLocals.reduceContext
    ThreadLocals.reduceContext = Unmanaged.passUnretained(context).toOpaque()
    defer { ThreadLocals.reduceContext = outer }
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
    try context.replace(draft, by: new, origin: origin)
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
