import LuaBridge

/// One action after it was reduced: what it was, and what it did.
public struct ActionRecord: Sendable {
  /// Where an action came from.
  public enum Source: String, Sendable, CustomStringConvertible {
    /// `send`.
    case input
    /// An effect.
    case effect
    /// A tool that has set the state.
    case edit

    public var description: String { rawValue }
  }

  /// From 1, in the order in which the store reduced them.
  public let number: Int
  public let source: Source
  /// The feature whose effect sent it, nil for what came from outside.
  public let feature: String?
  public let action: Action
  /// What `effect:transaction` or `effect:animation` attached to it.
  public let transaction: Value?
  /// The store's state before and after; the same when the action raised. O(1) snapshots.
  public let before: Value
  public let after: Value
  /// What came up while it was reduced, in order.
  public let warnings: [RuntimeWarning]
  /// What the action raised; all that it wrote is rolled back then, and its effects are dropped.
  public let error: ScriptError?
}
