import LuaBridge

/// What a reducer asks for beside its change of state. A value: nothing happens until the store runs
/// it.
public struct Effect: Sendable {
  indirect enum Operation: Sendable {
    case none
    case send(Action)
    /// In order. A `send` completes when its action is queued, so `merge` and `concatenate` of sends
    /// are one.
    case sequence([Effect])
  }

  let operation: Operation
  /// How many sequences are in each other.
  private let depth: UInt8
  /// Deeper ones are flattened: walking and freeing an effect takes stack.
  private static let deepest: UInt8 = 200

  init(_ operation: Operation) {
    self.operation = operation
    guard case .sequence(let effects) = operation else {
      depth = 0
      return
    }
    depth = 1 + (effects.lazy.map(\.depth).max() ?? 0)
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
    let effects = effects.filter { !$0.isNone }
    return effects.count <= 1 ? effects.first ?? .none : sequence(effects)
  }

  private static func sequence(_ effects: [Effect]) -> Effect {
    let sequence = Effect(.sequence(effects))
    guard sequence.depth > deepest else { return sequence }
    var flat: [Effect] = []
    sequence.forEachAction { flat.append(.send($0)) }
    return Effect(.sequence(flat))
  }

  /// Transforms every action that it sends.
  public func map(_ transform: @Sendable (Action) -> Action) -> Effect {
    switch operation {
    case .none: self
    case .send(let action): .send(transform(action))
    case .sequence(let effects): Effect(.sequence(effects.map { $0.map(transform) }))
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
    case .sequence(let effects):
      var nested: [Effect] = []
      nested.reserveCapacity(effects.count)
      for effect in effects { nested.append(try effect.nested(in: type, id: id)) }
      return Effect(.sequence(nested))
    }
  }

  @inline(__always)
  var isNone: Bool {
    if case .none = operation { true } else { false }
  }

  /// Both, `self` first.
  @inline(__always)
  func followed(by other: Effect) -> Effect {
    if isNone { return other }
    if other.isNone { return self }
    return .sequence([self, other])
  }

  /// Calls `body` with each action in the order in which they are to be queued.
  func forEachAction(_ body: (Action) -> Void) {
    switch operation {
    case .none: break
    case .send(let action): body(action)
    case .sequence(let effects): for effect in effects { effect.forEachAction(body) }
    }
  }
}

/// An effect as scripts hold it.
final class EffectObject: BoxedEffect {
  let effect: Effect

  init(_ effect: Effect) { self.effect = effect }
}
