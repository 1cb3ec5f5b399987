import LuaBridge

/// An action in a history: what it was, what it read, and what it did.
public struct HistoryEntry: Sendable {
  /// That of its action, as `ActionRecord` has it.
  public let number: Int
  public let action: Action
  /// `edit` for a state that a tool has set.
  public let source: ActionRecord.Source
  /// The feature whose effect sent it, nil for what came from outside.
  public let feature: String?
  /// What `effect:transaction` or `effect:animation` attached to it.
  public let transaction: Value?
  /// Seconds since the history began, on the store's clock.
  public let time: Double
  /// The store's state after it. An O(1) snapshot.
  public let state: Value
  /// What handlers got from outside while it was reduced, in order; a replay gives them the same.
  public let reads: [DependencyRead]
  /// Effects that were started after it, and before the next entry.
  public internal(set) var started: [EffectNote]
  /// Effects that ended after it, and before the next entry.
  public internal(set) var ended: [EffectNote]
  /// What effects asked of dependencies and got after it, and before the next entry.
  public internal(set) var calls: [EffectCall]
  /// What came up while it was reduced.
  public let warnings: [RuntimeWarning]
  /// What it raised; its state is that of the entry before then.
  public let error: ScriptError?
  /// Which loading of the scripts reduced it, 0 for the first.
  public let generation: Int
  /// Whether it is left out: its state is that of the entry before.
  public let isSkipped: Bool
}

/// An effect, as a history remembers it.
public struct EffectNote: Sendable, Hashable {
  /// Tells it from all others of the store.
  public let number: Int
  /// The feature that returned it.
  public let feature: String?
  /// Where its function is: `todos.lua:31`.
  public let origin: String
  /// By which it can be cancelled.
  public let id: Value?
  /// The path of the action that it was returned for.
  public let action: String?
  /// The path of the node that it belongs to, as actions have it; empty for the root.
  public let place: String
}

extension EffectNote: CustomStringConvertible {
  /// `Search (search.lua:31) at searches[1], id "query"`
  public var description: String {
    var text = "\(feature ?? "effect") (\(origin))"
    if !place.isEmpty { text += " at \(place)" }
    if let id { text += ", id \(id)" }
    return text
  }
}

/// That an effect calls a function of a dependency, or that the call has ended.
public struct EffectCall: Sendable, Hashable {
  public enum Phase: Sendable, Hashable {
    /// By the function's path in `deps`. Each value that is asked of a stream is a call.
    case asked(String, isStream: Bool)
    case answered(DependencyRead.Answer)
  }

  /// The same for both; counts up.
  public let number: Int
  public let phase: Phase
  /// Seconds since the history began.
  public let time: Double
}

/// Why a history or a recording cannot do something.
public struct HistoryError: Error, Sendable, Hashable, CustomStringConvertible {
  public let message: String

  package init(_ message: String) { self.message = message }

  public var description: String { message }
}

/// What a handler got from outside.
public struct DependencyRead: Sendable, Hashable {
  public enum Source: Sendable, Hashable {
    /// A function of `deps`, by its path: `uuid`, `date.now`.
    case dependency(String)
    /// The id that a stack gave to what was pushed, by the type of its elements' actions.
    case stack(String)
  }

  public enum Answer: Sendable, Hashable {
    /// Nil where it returned nothing.
    case value(Value?)
    /// The message of what it raised and, if that was a value, the value.
    case error(String, Value?)
    /// What is no value of state, as a function: it cannot be given again, so that a replay asks anew.
    case opaque
  }

  public let source: Source
  public let answer: Answer

  public init(_ source: Source, _ answer: Answer) {
    self.source = source
    self.answer = answer
  }
}
