import LuaBridge

/// One operation of an effect, and the operations that it is made of. Lua holds it in a userdata.
/// What a script's `effect.run` makes becomes a node only when it is a part of another effect.
// Unchecked only because its base class is not final: all properties are immutable and `Sendable`.
final class EffectNode: BoxedEffect, @unchecked Sendable {
  enum Operation: Sendable {
    /// A script's `effect.none`. In Swift, no node stands for no effect.
    case none
    case send(Action)
    case run(FunctionToken, catching: FunctionToken?)
    case task(SwiftOperation)
    case both(EffectNode, EffectNode)
    case sequence(EffectNode, EffectNode)
    case cancel(id: Value, at: ActionPath?)
    case cancellable(EffectNode, id: Value, cancelInFlight: Bool)
    case debounce(EffectNode, id: Value, seconds: Double)
    case throttle(EffectNode, id: Value, seconds: Double, latest: Bool)
    case map(EffectNode, ActionTransform)
    case transaction(EffectNode, Value)
    case dismiss
    case alarm(AlarmRequest)
    case cancelAlarm(id: Value)
    case measured(EffectNode, Measurement)
    /// The effects of a reducer that a handler has run itself.
    case ran(DirectEffects)
  }

  let operation: Operation
  /// The height of the tree of nodes.
  let depth: UInt16
  /// The number of nodes. A node that occurs several times is counted as often.
  let size: UInt32
  /// Whether it has code or a wait, so that it needs an ``EffectOwner``.
  let hasCode: Bool
  /// Whether a part of it can be cancelled by an id.
  let hasID: Bool
  /// Whether a part of it sets an alarm.
  let hasAlarm: Bool
  /// Counts the bytes of what it sends as memory of the VM whose script made it; nil otherwise.
  let kept: KeptMemory?

  /// The largest depth of a script's effect: walking over it takes stack.
  static let maximumDepth = 200
  /// The largest size of a script's effect: one that is merged with itself doubles at each step.
  static let maximumSize = 100_000

  /// Throws if a script's effect is too deep or too large.
  func checkDepth() throws(ScriptError) {
    guard depth <= EffectNode.maximumDepth else {
      throw ScriptError("an effect cannot be built of more than \(EffectNode.maximumDepth) levels")
    }
    guard size <= EffectNode.maximumSize else {
      throw ScriptError("an effect cannot be built of more than \(EffectNode.maximumSize) parts")
    }
  }

  /// The largest number of bytes of an id, and of a transaction. All jobs of an effect retain
  /// these.
  private static let longestID = 4096
  static let longestTransaction = 64 << 10

  /// Throws if a script's id is too long.
  static func checkID(_ id: Value) throws(ScriptError) {
    guard id.size(upTo: longestID) <= longestID else {
      throw ScriptError("an id may have \(longestID) bytes, and this one has more")
    }
  }

  init(_ operation: Operation, kept: KeptMemory? = nil) {
    self.operation = operation
    self.kept = kept
    size = EffectNode.size(of: operation)
    switch operation {
    case .both(let first, let second), .sequence(let first, let second):
      depth = EffectNode.level(above: max(first.depth, second.depth))
      hasCode = first.hasCode || second.hasCode
      hasID = first.hasID || second.hasID
      hasAlarm = first.hasAlarm || second.hasAlarm
    case .cancellable(let inner, _, _):
      (depth, hasCode, hasID) = (EffectNode.level(above: inner.depth), inner.hasCode, true)
      hasAlarm = inner.hasAlarm
    // A debounce is in flight itself, so its description needs an ``EffectOwner``.
    case .debounce(let inner, _, _):
      (depth, hasCode, hasID) = (EffectNode.level(above: inner.depth), true, true)
      hasAlarm = inner.hasAlarm
    case .throttle(let inner, _, _, _):
      (depth, hasCode, hasID) = (EffectNode.level(above: inner.depth), true, inner.hasID)
      hasAlarm = inner.hasAlarm
    case .transaction(let inner, _), .measured(let inner, _):
      (depth, hasCode, hasID) = (EffectNode.level(above: inner.depth), inner.hasCode, inner.hasID)
      hasAlarm = inner.hasAlarm
    case .map(let inner, _):
      (depth, hasCode, hasID) = (EffectNode.level(above: inner.depth), true, inner.hasID)
      hasAlarm = inner.hasAlarm
    case .ran(let effects):
      depth = EffectNode.level(above: effects.parts.map(\.node.depth).max() ?? 0)
      hasCode = effects.parts.contains { $0.node.hasCode }
      hasID = effects.parts.contains { $0.node.hasID }
      hasAlarm = effects.parts.contains { $0.node.hasAlarm }
    case .run, .task:
      (depth, hasCode, hasID, hasAlarm) = (0, true, false, false)
    // Its time is that of the owner's clock.
    case .alarm:
      (depth, hasCode, hasID, hasAlarm) = (0, true, false, true)
    case .none, .send, .cancel, .dismiss, .cancelAlarm:
      (depth, hasCode, hasID, hasAlarm) = (0, false, false, false)
    }
  }

  /// A script's `effect.run`. Takes over its functions.
  convenience init(_ run: ScriptRun, of vm: LuaVM) {
    let (function, catching) = vm.tokens(of: run.functions)
    let operation = Operation.run(function, catching: catching)
    guard let id = run.id else {
      self.init(operation)
      return
    }
    self.init(.cancellable(EffectNode(operation), id: id, cancelInFlight: run.cancelInFlight))
  }

  /// The object as a node, nil if it is none. The class is final, so comparing the type is enough,
  /// and cheaper than `as?`.
  @inline(__always)
  static func of(_ object: AnyObject) -> EffectNode? {
    type(of: object) == EffectNode.self ? unsafeDowncast(object, to: EffectNode.self) : nil
  }

  private static func size(of operation: Operation) -> UInt32 {
    switch operation {
    case .both(let first, let second), .sequence(let first, let second):
      let (sum, overflow) = first.size.addingReportingOverflow(second.size)
      return overflow ? .max : sum
    case .cancellable(let inner, _, _), .debounce(let inner, _, _), .throttle(let inner, _, _, _),
      .transaction(let inner, _), .measured(let inner, _), .map(let inner, _):
      return inner.size
    case .ran(let effects):
      return effects.parts.reduce(1) { sum, part in
        let (sum, overflow) = sum.addingReportingOverflow(part.node.size)
        return overflow ? .max : sum
      }
    case .none, .send, .run, .task, .cancel, .dismiss, .alarm, .cancelAlarm: return 1
    }
  }

  private static func level(above depth: UInt16) -> UInt16 { depth == .max ? .max : depth + 1 }

  var isNone: Bool {
    if case .none = operation { true } else { false }
  }

  /// The effect without the parts that this id cancels; nil if nothing is left.
  func without(_ id: Value) -> EffectNode? {
    guard hasID else { return self }
    switch operation {
    case .cancellable(_, id, _), .debounce(_, id, _): return nil
    default: return withParts { $0.without(id) }
    }
  }

  /// The effect with all parts measured that run.
  func measured(by measurement: Measurement) -> EffectNode {
    switch operation {
    case .none, .send, .cancel, .dismiss, .alarm, .cancelAlarm, .measured: self
    case .run, .task, .ran: EffectNode(.measured(self, measurement))
    default: withParts { $0.measured(by: measurement) } ?? self
    }
  }

  /// The effect with other parts; nil if `change` leaves none of them.
  private func withParts(_ change: (EffectNode) -> EffectNode?) -> EffectNode? {
    switch operation {
    case .none, .send, .run, .task, .cancel, .dismiss, .alarm, .cancelAlarm: self
    case .both(let first, let second): EffectNode.merging(change(first), change(second))
    case .sequence(let first, let second): EffectNode.concatenating(change(first), change(second))
    case .cancellable(let inner, let id, let cancelInFlight):
      change(inner).map { EffectNode(.cancellable($0, id: id, cancelInFlight: cancelInFlight)) }
    case .debounce(let inner, let id, let seconds):
      change(inner).map { EffectNode(.debounce($0, id: id, seconds: seconds)) }
    case .throttle(let inner, let id, let seconds, let latest):
      change(inner).map { EffectNode(.throttle($0, id: id, seconds: seconds, latest: latest)) }
    case .map(let inner, let transform): change(inner).map { EffectNode(.map($0, transform)) }
    case .transaction(let inner, let transaction):
      change(inner).map { EffectNode(.transaction($0, transaction)) }
    case .measured(let inner, let measurement):
      change(inner).map { EffectNode(.measured($0, measurement)) }
    case .ran(let effects): effects.withParts(change).map { EffectNode(.ran($0)) }
    }
  }

  // MARK: Merging and concatenating

  static func merging(_ first: EffectNode?, _ second: EffectNode?) -> EffectNode? {
    joining(first, second, .merge)
  }

  static func concatenating(_ first: EffectNode?, _ second: EffectNode?) -> EffectNode? {
    joining(first, second, .concatenate)
  }

  private enum Join {
    case merge
    case concatenate
  }

  private static func joining(_ a: EffectNode?, _ b: EffectNode?, _ join: Join) -> EffectNode? {
    guard let a, !a.isNone else { return b?.isNone == true ? nil : b }
    guard let b, !b.isNone else { return a }
    return joined(a, b, join)
  }

  /// The two parts, if this node joins them in this way.
  private func halves(_ join: Join) -> (EffectNode, EffectNode)? {
    switch (operation, join) {
    case (.both(let first, let second), .merge), (.sequence(let first, let second), .concatenate):
      (first, second)
    default: nil
    }
  }

  /// Joins two trees as AVL trees: the lower one goes down the near side of the higher one. The
  /// height stays logarithmic, however many effects are joined one by one, so that walking takes
  /// little stack.
  private static func joined(_ a: EffectNode, _ b: EffectNode, _ join: Join) -> EffectNode {
    if Int(a.depth) > Int(b.depth) + 1, let (first, second) = a.halves(join) {
      return balanced(first, joined(second, b, join), join)
    }
    if Int(b.depth) > Int(a.depth) + 1, let (first, second) = b.halves(join) {
      return balanced(joined(a, first, join), second, join)
    }
    return pair(a, b, join)
  }

  /// Joins two trees whose heights differ by two at most.
  private static func balanced(_ a: EffectNode, _ b: EffectNode, _ join: Join) -> EffectNode {
    if Int(a.depth) > Int(b.depth) + 1, let (first, second) = a.halves(join) {
      if first.depth >= second.depth { return pair(first, pair(second, b, join), join) }
      guard let (inner, outer) = second.halves(join) else { return pair(a, b, join) }
      return pair(pair(first, inner, join), pair(outer, b, join), join)
    }
    if Int(b.depth) > Int(a.depth) + 1, let (first, second) = b.halves(join) {
      if second.depth >= first.depth { return pair(pair(a, first, join), second, join) }
      guard let (outer, inner) = first.halves(join) else { return pair(a, b, join) }
      return pair(pair(a, outer, join), pair(inner, second, join), join)
    }
    return pair(a, b, join)
  }

  private static func pair(_ a: EffectNode, _ b: EffectNode, _ join: Join) -> EffectNode {
    EffectNode(join == .merge ? .both(a, b) : .sequence(a, b))
  }
}
