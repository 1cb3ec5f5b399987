import LuaBridge

/// What a reducer asks for beside its change of state. A value: nothing happens until the store runs
/// it.
public struct Effect: Sendable {
  indirect enum Operation: Sendable {
    case none
    case send(Action)
    /// In order. A `send` completes when its action is queued, so `merge` and `concatenate` of sends
    /// are one.
    case both(Effect, Effect)
  }

  let operation: Operation
  /// Of the tree that joined effects are. It is balanced, so that walking and freeing it takes little stack
  /// however many effects were joined, one by one too.
  private let height: UInt8

  private init(_ operation: Operation, height: UInt8 = 0) {
    self.operation = operation
    self.height = height
  }

  /// Nothing.
  public static let none = Effect(.none)

  /// Feeds an action back at once, before the next outside action.
  public static func send(_ action: Action) -> Effect { Effect(.send(action)) }

  /// The same from a path: `.send("todos[3].toggle")`.
  public static func send(_ path: String, _ payload: Value? = nil) throws(ActionError) -> Effect {
    .send(try Action(path: path, payload: payload))
  }

  /// Together, started in order.
  public static func merge(_ effects: Effect...) -> Effect { .merge(effects) }
  public static func merge(_ effects: [Effect]) -> Effect { .inOrder(effects) }

  /// One after the other.
  public static func concatenate(_ effects: Effect...) -> Effect { .concatenate(effects) }
  public static func concatenate(_ effects: [Effect]) -> Effect { .inOrder(effects) }

  private static func inOrder(_ effects: [Effect]) -> Effect {
    effects.reduce(.none) { $0.followed(by: $1) }
  }

  /// Transforms every action that it sends.
  public func map(_ transform: @Sendable (Action) -> Action) -> Effect {
    switch operation {
    case .none: self
    case .send(let action): .send(transform(action))
    case .both(let first, let second):
      Effect(.both(first.map(transform), second.map(transform)), height: height)
    }
  }

  /// What a child returned, as its parent's.
  func nested(in type: String, id: Value? = nil) throws(ScriptError) -> Effect {
    switch operation {
    case .none: return self
    case .send(let action):
      guard let value = Value.nesting(action.value, type: type, id: id) else {
        throw ScriptError("an effect sends \(ActionError(tooDeep: action.path))")
      }
      return .send(Action(trusted: value))
    case .both(let first, let second):
      return Effect(
        .both(try first.nested(in: type, id: id), try second.nested(in: type, id: id)),
        height: height)
    }
  }

  @inline(__always)
  var isNone: Bool {
    if case .none = operation { true } else { false }
  }

  /// Both, `self` first. O(log n) in the number of joined effects.
  @inline(__always)
  func followed(by other: Effect) -> Effect {
    if isNone { return other }
    if other.isNone { return self }
    return .joined(self, other)
  }

  /// As AVL trees are joined: the lower one goes down the near side of the higher one.
  private static func joined(_ a: Effect, _ b: Effect) -> Effect {
    if a.height > b.height + 1, case .both(let first, let second) = a.operation {
      return balanced(first, joined(second, b))
    }
    if b.height > a.height + 1, case .both(let first, let second) = b.operation {
      return balanced(joined(a, first), second)
    }
    return pair(a, b)
  }

  /// Both, of heights that differ by two at most.
  private static func balanced(_ a: Effect, _ b: Effect) -> Effect {
    if a.height > b.height + 1, case .both(let first, let second) = a.operation {
      if first.height >= second.height { return pair(first, pair(second, b)) }
      guard case .both(let inner, let outer) = second.operation else { return pair(a, b) }
      return pair(pair(first, inner), pair(outer, b))
    }
    if b.height > a.height + 1, case .both(let first, let second) = b.operation {
      if second.height >= first.height { return pair(pair(a, first), second) }
      guard case .both(let outer, let inner) = first.operation else { return pair(a, b) }
      return pair(pair(a, outer), pair(inner, second))
    }
    return pair(a, b)
  }

  private static func pair(_ a: Effect, _ b: Effect) -> Effect {
    Effect(.both(a, b), height: max(a.height, b.height) + 1)
  }

  /// Calls `body` with each action in the order in which they are to be queued.
  func forEachAction(_ body: (Action) -> Void) {
    switch operation {
    case .none: break
    case .send(let action): body(action)
    case .both(let first, let second):
      first.forEachAction(body)
      second.forEachAction(body)
    }
  }
}

/// An effect as scripts hold it.
final class EffectObject: BoxedEffect {
  let effect: Effect

  init(_ effect: Effect) { self.effect = effect }
}
