/// A property that an element may have.
public struct ViewProperty: Sendable, Hashable {
  /// What a property's value must be. Any property may be left out.
  public enum Kind: Sendable, Hashable {
    case boolean
    case number
    case text
    /// A text or a number.
    case scalar
    /// One of these words.
    case word([String])
    /// A whole number from `1`, or one of these words.
    case count([String])
    /// A path, `{ path, payload }`, or an action's table.
    case action
    /// The dotted path of a field of the view's state.
    case field
    /// A list of texts, numbers, or `{ value, label }`.
    case options
    /// A list of `{ title, grow?, align? }`.
    case columns
    /// The action path of a child that is presented while it is there.
    case presentation
    /// A table.
    case table
    /// Any value that a state may have.
    case any
  }

  public let name: String
  public let kind: Kind

  init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }
}
