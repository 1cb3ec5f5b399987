/// Why an operation of a history or a recording failed.
public struct HistoryError: Error, Sendable, Hashable, CustomStringConvertible {
  public let message: String

  package init(_ message: String) { self.message = message }

  public var description: String { message }
}
