import ScriptValue

/// Work that a reducer asks for, beside its change of the state. An effect is a value: nothing
/// happens until the store runs it.
public struct Effect: Sendable {
  let node: EffectNode?

  init(_ node: EffectNode?) { self.node = node }
  init(_ operation: EffectNode.Operation) { node = EffectNode(operation) }

  /// Does nothing.
  public static let none = Effect(nil as EffectNode?)

  /// Sends an action back to the store at once, before the next action from outside.
  public static func send(_ action: Action) -> Effect { Effect(.send(action)) }

  /// Sends the action of a path and a payload: `.send("todos[3].rename", ["description": "Milk"])`.
  public static func send(_ path: String, _ payload: Value?) throws(ActionError) -> Effect {
    .send(try Action(path: path, payload: payload))
  }

  /// Sends the action of a path that is made at run time. A literal is an ``Action`` itself, and does
  /// not throw.
  @_disfavoredOverload
  public static func send(_ path: String) throws(ActionError) -> Effect {
    .send(try Action(path: path))
  }

  /// Runs the effects together. They are started in order.
  public static func merge(_ effects: Effect...) -> Effect { .merge(effects) }
  /// Runs the effects of a list together. They are started in order.
  public static func merge(_ effects: [Effect]) -> Effect {
    effects.reduce(.none) { Effect(EffectNode.joining($0.node, $1.node, .merge)) }
  }

  /// Runs the effects one after the other: the next one starts when the one before it has completed
  /// or was cancelled. A `send` completes when its action is queued.
  public static func concatenate(_ effects: Effect...) -> Effect { .concatenate(effects) }
  /// Runs the effects of a list one after the other.
  public static func concatenate(_ effects: [Effect]) -> Effect {
    effects.reduce(.none) { Effect(EffectNode.joining($0.node, $1.node, .concatenate)) }
  }

  /// Runs a closure, which may wait and send.
  ///
  /// If the closure throws an error, `catch` is called with it. Without `catch`, the store reports a
  /// warning. When the effect is cancelled, its task is cancelled, and its sends do nothing from
  /// then on.
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

  /// Sends an action for each element of a sequence, until the sequence ends or the effect is
  /// cancelled.
  public static func run<Elements: AsyncSequence & Sendable>(
    _ elements: Elements, file: StaticString = #fileID, line: UInt = #line,
    _ action: @escaping @Sendable (Elements.Element) throws -> Action
  ) -> Effect {
    .run(
      { send in for try await element in elements { send(try action(element)) } }, file: file,
      line: line)
  }

  /// Cancels the effects in flight with this id at the place of the reducer that returns this.
  public static func cancel(id: Value) -> Effect { Effect(.cancel(id: id, at: nil)) }

  /// Cancels the effects with this id at the places that a path names, seen from the place of the
  /// reducer that returns this: `.cancel(id: "load", at: "todos[*]")`.
  public static func cancel(id: Value, at path: String) throws(ActionError) -> Effect {
    Effect(.cancel(id: id, at: try ActionPath(path)))
  }

  /// Dismisses the nearest presented child around the reducer that returns this.
  public static let dismiss = Effect(.dismiss)

  /// Lets the effect be cancelled by `id` at the place of the reducer that returns it.
  ///
  /// - Parameter cancelInFlight: whether to cancel the effects in flight with the id first.
  public func cancellable(id: Value, cancelInFlight: Bool = false) -> Effect {
    wrapped { .cancellable($0, id: id, cancelInFlight: cancelInFlight) }
  }

  /// Transforms every action that the effect sends.
  public func map(_ transform: @escaping @Sendable (Action) -> Action) -> Effect {
    wrapped { .map($0, .swift(transform)) }
  }

  /// Attaches a value to every action that the effect sends. Observers get it with the change.
  public func transaction(_ transaction: Value) -> Effect {
    wrapped { .transaction($0, transaction) }
  }

  /// Attaches the transaction `{ animation = … }`.
  public func animation(_ animation: Value) -> Effect { transaction(["animation": animation]) }

  /// An effect around this one; none around none.
  func wrapped(_ operation: (EffectNode) -> EffectNode.Operation) -> Effect {
    node.map { Effect(operation($0)) } ?? .none
  }
}

/// Sends actions of a running Swift effect to its store.
public struct Send: Sendable {
  let worker: WorkerLink
  /// That of the task.
  let key: JobKey

  /// Returns when the actions that were sent so far are durable, or never will be; at once for a store that is not durable.
  ///
  /// What an effect does outside after a send, as an answer to somebody, may otherwise be seen although a crash loses the
  /// action.
  public func untilDurable() async {
    await Waiter.untilCalled { waiter in
      worker.submit { [key] engine in
        engine.effects.jobTable[key]?.effects.gate?.whenDurable { _ in { waiter.call() } }
      }
    }
  }

  /// Queues the action. If no thread is in the VM, it is reduced before this returns. Does nothing
  /// once the effect was cancelled.
  public func callAsFunction(_ action: Action) {
    let isCancelled = Task.isCancelled
    worker.submit { [key] engine in engine.effects.send(action, from: key, isCancelled) }
  }

  /// Sends the action of a path and a payload.
  public func callAsFunction(_ path: String, _ payload: Value?) throws(ActionError) {
    self(try Action(path: path, payload: payload))
  }

  /// Sends the action of a path that is made at run time. A literal is an ``Action`` itself, and does
  /// not throw.
  @_disfavoredOverload
  public func callAsFunction(_ path: String) throws(ActionError) {
    self(try Action(path: path))
  }
}

/// The closures of a Swift effect.
struct SwiftOperation: Sendable {
  let priority: TaskPriority?
  let run: @Sendable (Send) async throws -> Void
  let handler: (@Sendable (any Error, Send) async -> Void)?
  let origin: String
}
