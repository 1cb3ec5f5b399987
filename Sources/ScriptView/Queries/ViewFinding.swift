import ScriptValue

/// Something about a screen that keeps people, or tests, from using it.
public struct ViewFinding: Sendable, Hashable, CustomStringConvertible {
  /// What is the matter.
  public enum Kind: String, Sendable {
    /// A control that nobody can name, so that a screen reader cannot, either.
    case unnamedControl
    /// An image that has no label and is not decorative.
    case unnamedImage
    /// Two controls of one role and name in one place.
    case alike
    /// Two rows of one id.
    case doubledID
    /// A field without a `name` in a container with `focus`.
    case unnamedField
    /// Two shortcuts of the same keys.
    case doubledShortcut
  }

  public let kind: Kind
  public let path: ViewPath
  /// A sentence without a full stop.
  public let message: String

  public var description: String { message }

  init(kind: Kind, path: ViewPath, message: String) {
    self.kind = kind
    self.path = path
    self.message = message.asMessage
  }
}
