import ScriptValue

/// A value that a handler got from outside.
public struct DependencyRead: Sendable, Hashable {
  public enum Source: Sendable, Hashable {
    /// A function of `deps` by its path, such as `uuid` or `date.now`.
    case dependency(String)
    /// The id that a stack gave to a pushed element, by the action type of the stack's elements.
    case stack(String)
  }

  public enum Answer: Sendable, Hashable {
    /// The returned value; nil if the function returned nothing.
    case value(Value?)
    /// Several returned values, such as nil and a message.
    case values([Value?])
    /// The message of the raised error and, if a value was raised, that value.
    case error(String, Value?)
    /// A result that no state can hold, such as a function. A replay cannot give it again and calls
    /// the dependency instead.
    case opaque
  }

  public let source: Source
  public let answer: Answer

  public init(_ source: Source, _ answer: Answer) {
    self.source = source
    self.answer = answer
  }
}
