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
    indirect case task(SwiftOperation)
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
    indirect case measured(EffectNode, Measurement)
    /// The effects of a reducer that a handler has run itself.
    case ran(DirectEffects)
  }

  /// What is known of a node with those that it is made of.
  struct Shape {
    /// The height of the tree of nodes.
    var depth: UInt16 = 0
    /// The number of its leaves. One that occurs several times is counted as often.
    var size: UInt32 = 1
    /// Whether it has code or a wait, so that it needs an ``EffectOwner``.
    var hasCode = false
    /// Whether a part of it can be cancelled by an id.
    var hasID = false
    /// Whether a part of it sets an alarm.
    var hasAlarm = false

    func beside(_ other: Shape) -> Shape {
      let (sum, overflow) = size.addingReportingOverflow(other.size)
      return Shape(
        depth: max(depth, other.depth), size: overflow ? .max : sum,
        hasCode: hasCode || other.hasCode, hasID: hasID || other.hasID,
        hasAlarm: hasAlarm || other.hasAlarm)
    }

    /// The shape of a node around one with this shape.
    func around(hasCode: Bool = false, hasID: Bool = false) -> Shape {
      Shape(
        depth: depth == .max ? .max : depth + 1, size: size, hasCode: self.hasCode || hasCode,
        hasID: self.hasID || hasID, hasAlarm: hasAlarm)
    }
  }

  let operation: Operation
  private let shape: Shape
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
    switch operation {
    case .both(let first, let second), .sequence(let first, let second):
      shape = first.shape.beside(second.shape).around()
    case .cancellable(let inner, _, _): shape = inner.shape.around(hasID: true)
    // A debounce is in flight itself, so its description needs an ``EffectOwner``.
    case .debounce(let inner, _, _): shape = inner.shape.around(hasCode: true, hasID: true)
    case .throttle(let inner, _, _, _), .map(let inner, _):
      shape = inner.shape.around(hasCode: true)
    case .transaction(let inner, _), .measured(let inner, _): shape = inner.shape.around()
    case .ran(let effects):
      shape = effects.parts.reduce(Shape()) { $0.beside($1.node.shape) }.around()
    case .run, .task: shape = Shape(hasCode: true)
    // Its time is that of the owner's clock.
    case .alarm: shape = Shape(hasCode: true, hasAlarm: true)
    case .none, .send, .cancel, .dismiss, .cancelAlarm: shape = Shape()
    }
  }

  var depth: UInt16 { shape.depth }
  var size: UInt32 { shape.size }
  var hasCode: Bool { shape.hasCode }
  var hasID: Bool { shape.hasID }
  var hasAlarm: Bool { shape.hasAlarm }

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
    case .both(let a, let b): EffectNode.joining(change(a), change(b), .merge)
    case .sequence(let a, let b): EffectNode.joining(change(a), change(b), .concatenate)
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

  enum Join {
    case merge
    case concatenate
  }

  static func joining(_ a: EffectNode?, _ b: EffectNode?, _ join: Join) -> EffectNode? {
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
