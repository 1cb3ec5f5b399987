import LuaBridge
import ScriptValue

/// One action in a history: the action, what its handlers read, and what it changed.
public struct HistoryEntry: Sendable {
  /// The number of the action, as in ``ActionRecord/number``.
  public let number: Int
  public let action: Action
  /// Where the action came from; `edit` if a tool set the state.
  public let source: ActionRecord.Source
  /// The feature whose effect sent the action; nil for an action from outside.
  public let feature: String?
  /// What has sent the action of an effect; nil for other actions, in a durable store, and in the recording of an older version.
  package let sender: ActionSender?
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
  /// Whether the effects of the action may be others than the entries say. Either a replay has changed the state before or after it:
  /// the handlers might return others on that state, and the effect that has sent the action might not have. Or the store went
  /// back to the entry, and what effects had sent then is gone.
  package internal(set) var hasOtherEffects: Bool
  /// The alarms that were set, and the keys of those that are gone, since the entry before (``StoreAlarms/Changes``); nil if
  /// none were.
  package var alarms: Value?
  /// What the entry has in the journal of a durable store; nil in a history.
  package var durable: DurableFields?
}

/// The description of an effect in a history.
public struct EffectNote: Sendable, Hashable {
  /// Identifies the effect among all effects of the store.
  public let number: Int
  /// The feature that returned the effect.
  public let feature: String?
  /// The script line of the effect's function, such as `todos.lua:31`.
  public let origin: String
  /// The id by which the effect can be cancelled.
  public let id: Value?
  /// The path of the action whose handler returned the effect.
  public let action: String?
  /// The path of the place that the effect belongs to, as in action paths; empty for the root.
  public let place: String
  /// The error that has ended it; nil if none has.
  public internal(set) var failure: EffectFailure?
}

/// The error that has ended an effect.
public struct EffectFailure: Sendable, Hashable {
  public let message: String
  /// The time since the history began, on the store's clock.
  public let time: Duration
}

extension EffectNote {
  /// The effects that are in flight after others have started and ended. An effect may end, by going
  /// back, at an entry before the one that has started it. An effect may be in a snapshot of a durable
  /// store and in the record after it.
  ///
  /// - Parameter before: those that were in flight before.
  static func running(
    _ before: [EffectNote] = [], after entries: [(started: [EffectNote], ended: [EffectNote])]
  ) -> [EffectNote] {
    let ended = Set(entries.flatMap(\.ended).map(\.number))
    var known = ended
    return (before + entries.flatMap(\.started)).filter { known.insert($0.number).inserted }
  }
}

extension EffectNote: CustomStringConvertible {
  /// For example `Search (search.lua:31) at searches[1], id "query"`.
  public var description: String {
    var text = "\(feature ?? "effect") (\(origin))"
    if !place.isEmpty { text += " at \(place)" }
    if let id { text += ", id \(id)" }
    if let failure { text += ", raised: \(failure.message)" }
    return text
  }
}

/// One event of a call that an effect makes to a dependency: the call or its answer.
public struct EffectCall: Sendable, Hashable {
  public enum Phase: Sendable, Hashable {
    /// The call, with the function's path in `deps`. For a stream, each request for the next value
    /// is a call of its own.
    case asked(String, isStream: Bool)
    case answered(DependencyRead.Answer)
  }

  /// The number of the call, the same in both phases. It counts up.
  public let number: Int
  public let phase: Phase
  /// The time since the history began, on the store's clock.
  public let time: Duration
  /// The ``EffectNote/number`` of the effect that calls; nil in an answer, and in the recording of an older version.
  public let effect: Int?
}
