/// How ``Value/json(_:)`` writes.
public struct JSONOptions: OptionSet, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A line for each element and member, two spaces of indentation a level. Without it, one line
  /// without spaces.
  public static let pretty = JSONOptions(rawValue: 1)
}
