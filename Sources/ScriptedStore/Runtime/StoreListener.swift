import LuaBridge

/// Hears what a store does, inside its worker: a history, a test store, the host's `onAction`
/// handlers. The core retains its listeners and knows nothing else of them.
protocol StoreListener: AnyObject {
  /// Whether an action may be reduced; false drops it.
  func accepts(_ action: borrowing Action, _ message: Message?) -> Bool
  /// An action, or a step that takes over shared values, is about to be reduced; or once more, because another thread
  /// has changed a shared value meanwhile. Before an accepted action there may be a step.
  func willReduce()
  /// In a durable store alone: throws if the record of an action (+0) that leads from a state (+0) to another one (+0) would be
  /// too large. The action then raises that error.
  func check(_ action: Slot, from old: Slot, to new: Slot) throws(ScriptError)
  /// An action was reduced, or raised, or a tool has set the state. Its effects have not started.
  func didReduce(_ record: ActionRecord)
  /// Whether the action that was reduced last does not count: the next one gets its number.
  var leavesOut: Bool { get }
  /// The effects of the action have started.
  func didStartEffects()
  /// A drain has ended; in a durable store alone, whose records have to be written now.
  func didEndDrain()
  /// Whether the errors of actions are reported to this listener alone, and not to the host.
  var takesErrors: Bool { get }
  /// Returns true if the listener stands for what presents the root feature, and takes its dismissal.
  func takesDismissal(by reducer: ReducerNode?) -> Bool
  /// The first effect of the store that does more than send is about to start.
  func didMake(_ effects: StoreEffects)
  /// The store runs on another generation. `migrated` is its new state if it was migrated.
  func didReload(migrated: Value?)
  /// The scope that the store's reducers get instead of its own.
  func scope(for dependencies: DependencyScope) -> DependencyScope
}

extension StoreListener {
  func accepts(_ action: borrowing Action, _ message: Message?) -> Bool { true }
  func willReduce() {}
  var leavesOut: Bool { false }
  func check(_ action: Slot, from old: Slot, to new: Slot) throws(ScriptError) {}
  func didStartEffects() {}
  func didEndDrain() {}
  var takesErrors: Bool { false }
  func takesDismissal(by reducer: ReducerNode?) -> Bool { false }
  func didMake(_ effects: StoreEffects) {}
  func didReload(migrated: Value?) {}
  func scope(for dependencies: DependencyScope) -> DependencyScope { dependencies }
}

/// Delivers each action to a handler of the host.
final class ActionHandler: StoreListener {
  let id: UInt64
  private let handler: @Sendable (ActionRecord) -> Void
  // Proof: the engine owns the core that retains this object.
  private unowned(unsafe) let core: StoreCore
  private unowned(unsafe) let engine: Engine
  private let outbox: Outbox

  init(
    _ id: UInt64, _ core: StoreCore, _ engine: Engine, _ outbox: Outbox,
    _ handler: @escaping @Sendable (ActionRecord) -> Void
  ) {
    self.id = id
    self.core = core
    self.engine = engine
    self.outbox = outbox
    self.handler = handler
  }

  func didReduce(_ record: ActionRecord) {
    core.deliver(to: outbox, engine) { [handler] in handler(record) }
  }
}

/// An action after it was reduced, with what it did.
public struct ActionRecord: Sendable {
  /// Where an action comes from.
  public enum Source: String, Sendable, CustomStringConvertible {
    /// `send`.
    case input
    /// An effect.
    case effect
    /// A shared value that another store, the host or an effect has changed.
    case shared
    /// A tool that has set the state.
    case edit

    public var description: String { rawValue }
  }

  /// Counts from 1, in the order in which the store reduced the actions. After time travel the count
  /// goes on from the entry that the store is at. An action that the history leaves out has the
  /// number that the next action gets, too.
  public let number: Int
  public let source: Source
  /// The feature whose effect sent the action; nil for an action from outside.
  public let feature: String?
  /// What has sent the action of an effect; nil for other actions.
  let sender: ActionSender?
  public let action: Action
  /// What `effect:transaction` or `effect:animation` attached to the action.
  public let transaction: Value?
  /// The store's states before and after. They are the same if the action raised. O(1) snapshots.
  public let before: Value
  public let after: Value
  /// The warnings of the action, in order.
  public let warnings: [RuntimeWarning]
  /// What the action raised. Its writes are then rolled back, and its effects are dropped.
  public let error: ScriptError?
  /// Whether the action raised, or did nothing but cause warnings, as one that no reducer handles.
  let isRefused: Bool
  /// Whether the action raised, or did nothing at all.
  let isIdle: Bool
}
