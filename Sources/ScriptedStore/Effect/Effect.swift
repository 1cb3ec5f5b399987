import LuaBridge

/// What a reducer asks for beside its change of state. A value: nothing happens until the store runs
/// it.
public struct Effect: Sendable {
  let node: EffectNode?

  init(_ node: EffectNode?) { self.node = node }
  init(_ operation: EffectNode.Operation) { node = EffectNode(operation) }

  /// Nothing.
  public static let none = Effect(nil as EffectNode?)

  /// Feeds an action back at once, before the next outside action.
  public static func send(_ action: Action) -> Effect { Effect(.send(action)) }

  /// The same from a path: `.send("todos[3].toggle")`.
  public static func send(_ path: String, _ payload: Value? = nil) throws(ActionError) -> Effect {
    .send(try Action(path: path, payload: payload))
  }

  /// Together, started in order.
  public static func merge(_ effects: Effect...) -> Effect { .merge(effects) }
  /// The same of a list.
  public static func merge(_ effects: [Effect]) -> Effect {
    effects.reduce(.none) { Effect(EffectNode.merging($0.node, $1.node)) }
  }

  /// One after the other, the next starting when the former completes or is cancelled; a `send` completes
  /// when its action is queued.
  public static func concatenate(_ effects: Effect...) -> Effect { .concatenate(effects) }
  /// The same of a list.
  public static func concatenate(_ effects: [Effect]) -> Effect {
    effects.reduce(.none) { Effect(EffectNode.concatenating($0.node, $1.node)) }
  }

  /// Runs a closure, which may wait and send. What it throws goes to `catch`; without, the store warns of it. A
  /// cancelled one is told as Swift tells tasks; its sends do nothing from then on.
  public static func run(
    priority: TaskPriority? = nil,
    _ operation: @escaping @Sendable (Send) async throws -> Void,
    catch handler: (@Sendable (any Error, Send) async -> Void)? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Effect {
    Effect(
      .task(
        SwiftOperation(
          priority: priority, run: operation, handler: handler, origin: "\(file):\(line)")))
  }

  /// Sends an action for each element of a sequence, until it ends or the effect is cancelled.
  public static func run<Elements: AsyncSequence & Sendable>(
    _ elements: Elements, file: StaticString = #fileID, line: UInt = #line,
    _ action: @escaping @Sendable (Elements.Element) throws -> Action
  ) -> Effect {
    .run(
      { send in for try await element in elements { send(try action(element)) } }, file: file,
      line: line)
  }

  /// Cancels what is in flight under `id` at the place of the reducer that returns this.
  public static func cancel(id: Value) -> Effect { Effect(.cancel(id: id, at: nil)) }

  /// The same at the nodes that a path names, from there: `.cancel(id: "load", at: "todos[*]")`.
  public static func cancel(id: Value, at path: String) throws(ActionError) -> Effect {
    Effect(.cancel(id: id, at: try ActionPath(path)))
  }

  /// Asks the nearest enclosing presentation to let go of its child.
  public static let dismiss = Effect(.dismiss)

  /// Lets this be cancelled by `id`, which belongs to the place of the reducer that returns it.
  ///
  /// - Parameter cancelInFlight: cancel what is in flight under the id first.
  public func cancellable(id: Value, cancelInFlight: Bool = false) -> Effect {
    wrapped { .cancellable($0, id: id, cancelInFlight: cancelInFlight) }
  }

  /// Starts this so many seconds later, unless another one with the id comes before, which also cancels this
  /// when it is running.
  public func debounce(id: Value, seconds: Double) -> Effect {
    wrapped { .debounce($0, id: id, seconds: max(0, seconds)) }
  }

  /// Lets the first action that this sends through at once, and at the interval's end the last one that came
  /// in it, or the first; which begins a new interval.
  public func throttle(id: Value, seconds: Double, latest: Bool) -> Effect {
    wrapped { .throttle($0, id: id, seconds: max(0, seconds), latest: latest) }
  }

  /// Transforms every action that it sends.
  public func map(_ transform: @escaping @Sendable (Action) -> Action) -> Effect {
    wrapped { .map($0, .swift(transform)) }
  }

  /// Attaches a value to every action that it sends, for those who observe.
  public func transaction(_ transaction: Value) -> Effect {
    wrapped { .transaction($0, transaction) }
  }

  /// The transaction `{ animation = … }`.
  public func animation(_ animation: Value) -> Effect { transaction(["animation": animation]) }

  private func wrapped(_ operation: (EffectNode) -> EffectNode.Operation) -> Effect {
    node.map { Effect(operation($0)) } ?? .none
  }
}

/// Feeds actions of a running Swift effect back into its store.
public struct Send: Sendable {
  let submit: @Sendable (Action) -> Void

  /// Queues the action; if no thread is in the VM, it is reduced before this returns. Does nothing once the
  /// effect was cancelled.
  public func callAsFunction(_ action: Action) { submit(action) }

  /// The same from a path and a payload.
  public func callAsFunction(_ path: String, _ payload: Value? = nil) throws(ActionError) {
    submit(try Action(path: path, payload: payload))
  }
}

/// The closures of a Swift effect.
final class SwiftOperation: Sendable {
  let priority: TaskPriority?
  let run: @Sendable (Send) async throws -> Void
  let handler: (@Sendable (any Error, Send) async -> Void)?
  let origin: String

  init(
    priority: TaskPriority?, run: @escaping @Sendable (Send) async throws -> Void,
    handler: (@Sendable (any Error, Send) async -> Void)?, origin: String
  ) {
    self.priority = priority
    self.run = run
    self.handler = handler
    self.origin = origin
  }
}
