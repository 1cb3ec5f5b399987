import LuaBridge

/// One operation of an effect, and the operations that it is made of. Lua holds it in a userdata.
/// What a script's `effect.run` makes becomes a node only when it is a part of another effect.
///
/// This file has all that differs from operation to operation: what a node of it knows, how the arguments of a script make
/// it, and how it starts.
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
  fileprivate static let longestTransaction = 64 << 10

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
}

// MARK: Made by scripts

/// What makes effects of scripts: the raw value is the name that scripts call. `runner check` asks here what a call in
/// the text of a script is.
package enum EffectKind: String, Sendable, CaseIterable {
  // Functions of `scripted.effect`. C checks their arguments (`effects.c`), and `EffectNatives` those of the last two.
  case send, run, cancel, dismiss, alarm, cancelAlarm, merge, concatenate
  // Methods of effects, in C.
  case cancellable, debounce, throttle, map, transaction, animation

  /// What tools have to know of a method: whether its first argument is an id by which `effect.cancel` cancels the effect,
  /// and whether it holds something back until time has passed. nil for a function of `scripted.effect`.
  package var method: (hasID: Bool, isTimed: Bool)? {
    switch self {
    case .send, .run, .cancel, .dismiss, .alarm, .cancelAlarm, .merge, .concatenate: nil
    case .cancellable: (hasID: true, isTimed: false)
    case .debounce, .throttle: (hasID: true, isTimed: true)
    case .map, .transaction, .animation: (hasID: false, isTimed: false)
    }
  }
}

extension EffectNode {
  /// Makes the effect that C asks for, by the name that a script has called.
  ///
  /// - Parameter keep: counts what the effect holds as memory of the script's VM.
  static func make(
    _ name: String, _ arguments: inout EffectArguments, in scheduler: SchedulerLink,
    _ keep: () -> KeptMemory?
  ) throws(ScriptError) -> EffectNode {
    guard let kind = EffectKind(rawValue: name) else {
      throw ScriptError("EffectKind lacks '\(name)'")
    }
    switch kind {
    case .send:
      let action = try EffectRunner.action(&arguments)
      return EffectNode(.send(action), kept: keep())
    case .run:
      return arguments.run().map { EffectNode($0, of: scheduler.vm) } ?? EffectNode(.none)
    case .dismiss: return EffectNode(.dismiss)
    case .cancel:
      let (id, path) = (try arguments.id(), try arguments.path())
      scheduler.cancelAtOnce(id, at: path)
      return EffectNode(.cancel(id: id, at: path))
    case .alarm:
      let request = try AlarmRequest(&arguments, in: scheduler)
      return EffectNode(.alarm(request), kept: keep())
    case .cancelAlarm:
      let id = try arguments.id()
      try scheduler.requireReducer("effect.cancelAlarm")
      return EffectNode(.cancelAlarm(id: id))
    case .merge, .concatenate: throw ScriptError("EffectNatives makes '\(name)'")
    case .cancellable:
      return try around(kind, &arguments) { (inner, arguments) throws(ScriptError) in
        .cancellable(inner, id: try arguments.id(), cancelInFlight: arguments.flag())
      }
    case .debounce:
      return try around(kind, &arguments) { (inner, arguments) throws(ScriptError) in
        .debounce(inner, id: try arguments.id(), seconds: arguments.number())
      }
    case .throttle:
      return try around(kind, &arguments) { (inner, arguments) throws(ScriptError) in
        .throttle(
          inner, id: try arguments.id(), seconds: arguments.number(), latest: arguments.flag())
      }
    case .map:
      return try around(kind, &arguments) { (inner, arguments) throws(ScriptError) in
        arguments.function().map { .map(inner, .script($0)) }
      }
    case .transaction:
      return try around(kind, &arguments) { (inner, arguments) throws(ScriptError) in
        .transaction(inner, try arguments.transaction())
      }
    case .animation:
      return try around(kind, &arguments) { (inner, arguments) throws(ScriptError) in
        .transaction(inner, ["animation": try arguments.transaction()])
      }
    }
  }

  /// Makes an effect around the one that is the first argument. `make` gets that and the other arguments; where it returns
  /// nil, the inner effect stays as it is.
  @inline(__always)
  private static func around(
    _ method: EffectKind, _ arguments: inout EffectArguments,
    _ make: (EffectNode, inout EffectArguments) throws(ScriptError) -> EffectNode.Operation?
  ) throws(ScriptError) -> EffectNode {
    guard let inner = arguments.effect() as? EffectNode else {
      throw ScriptError("an effect of another kind cannot be used here")
    }
    if inner.isNone { return inner }
    try AlarmRequest.check(inner, in: method)
    guard let operation = try make(inner, &arguments) else { return inner }
    return EffectNode(operation)
  }
}

extension EffectArguments {
  mutating func id() throws(ScriptError) -> Value {
    let id = try value() ?? .null
    try EffectNode.checkID(id)
    return id
  }

  fileprivate mutating func path() throws(ScriptError) -> ActionPath? {
    guard let path = try value()?.string else { return nil }
    do throws(ActionError) {
      return try ActionPath(path)
    } catch {
      throw ScriptError(error.message)
    }
  }

  fileprivate mutating func transaction() throws(ScriptError) -> Value {
    let (transaction, most) = (try value() ?? .null, EffectNode.longestTransaction)
    guard transaction.size(upTo: most) <= most else {
      throw ScriptError(
        "a transaction of more than \(most) bytes is too large to go with an effect")
    }
    return transaction
  }
}

// MARK: Starting

extension StoreEffects {
  /// Starts an effect in a group, or as a root job if `group` is nil. Does nothing if the group is
  /// not open: an effect that was started before in the group may have cancelled it.
  func start(_ node: EffectNode, _ context: StartContext, in group: JobGroup?) {
    if let group, !group.isOpen { return }
    switch node.operation {
    case .none: break
    case .send(let action):
      queue(
        Message(
          action, from: context.reducer, by: context.cause, kept: node.kept, of: context.owner),
        context.route)
    case .run(let function, let catching):
      guard hasRoom() else { return refuse(context.owner) }
      let body = Body(
        .shared(function, catching: catching), id: nil, at: context.place, context.route,
        context.owner, of: self)
      begin(body, in: group)
      runner.begin(body)
    case .task(let operation):
      guard hasRoom() else { return refuse(context.owner) }
      let body = SwiftBody(operation, context, of: self)
      (group ?? rootForNow()).add(body)
      runner.begin(body)
    case .both(let first, let second):
      start(first, context, in: group)
      start(second, context, in: group)
    case .sequence:
      startSequence(node, context, in: group ?? rootForNow())
    case .cancel(let id, let path):
      check(path, from: context.place, of: context.reducer)
      cancel(id, at: path, from: context.place, during: group)
    case .cancellable(let inner, let id, let cancelInFlight):
      startCancellable(id, context, in: group, replacing: cancelInFlight) { group in
        start(inner, context, in: group)
      }
    case .debounce(let inner, let id, let seconds):
      startDebounced(inner, id: id, seconds: seconds, context, in: group)
    case .throttle(let inner, let id, let seconds, let latest):
      startThrottled(inner, id: id, seconds: seconds, latest: latest, context, in: group)
    case .map(let inner, let transform):
      start(inner, context.via(.map(transform, context.owner)), in: group)
    case .transaction(let inner, let transaction):
      start(inner, context.via(.transaction(transaction)), in: group)
    case .dismiss:
      dismiss(
        from: context.place, context.reducer, context.route, by: context.cause
      ) { message in
        core?._withUnsafeGuaranteedRef { $0.enqueue(message, engine) }
      }
    case .alarm(let request): start(request, context)
    case .cancelAlarm(let id): context.place.alarms?[id]?.remove()
    case .measured(let inner, let measurement):
      let measured = MeasuredGroup(measurement, at: context.place, of: self)
      begin(measured, in: group)
      measured.fill { start(inner, context, in: measured) }
    case .ran(let effects):
      // An effect without code may be started in any VM.
      guard !node.hasCode || effects.isOf(context.owner?.vm.takeUnretainedValue()) else {
        warn(of: ScriptError("an effect of `Reducer.run` was returned in another VM"), in: nil)
        break
      }
      for part in effects.parts { start(part.node, part.context(context), in: group) }
    }
  }
}
