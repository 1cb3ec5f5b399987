import LuaBridge

/// One action in a history: the action, what its handlers read, and what it changed.
public struct HistoryEntry: Sendable {
  /// The number of the action, as in ``ActionRecord/number``.
  public let number: Int
  public let action: Action
  /// Where the action came from; `edit` if a tool set the state.
  public let source: ActionRecord.Source
  /// The feature whose effect sent the action; nil for an action from outside.
  public let feature: String?
  /// The transaction that `effect:transaction` or `effect:animation` attached to the action.
  public let transaction: Value?
  /// The time since the history began, on the store's clock.
  public let time: Duration
  /// The store's state after the action. An O(1) snapshot.
  public let state: Value
  /// What the handlers of this action got from outside, in order. A replay gives them the same
  /// values.
  public let reads: [DependencyRead]
  /// Effects that started after this action and before the next entry.
  public internal(set) var started: [EffectNote]
  /// Effects that ended after this action and before the next entry.
  public internal(set) var ended: [EffectNote]
  /// Calls of dependencies that effects began or completed after this action and before the next
  /// entry.
  public internal(set) var calls: [EffectCall]
  /// The warnings that were reported while the action was reduced.
  public let warnings: [RuntimeWarning]
  /// The error that the action raised. Its state is then the state of the entry before.
  public let error: ScriptError?
  /// The ``ScriptHost/generation`` of the scripts that reduced the action; 0 for the scripts that
  /// were loaded first.
  public let generation: Int
  /// Whether the entry is left out of replays. Its state is then the state of the entry before.
  public let isSkipped: Bool
}
