import LuaBridge

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
}
