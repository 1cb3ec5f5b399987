/// Options for ``Value/json(_:)``.
public struct JSONOptions: OptionSet, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Writes each element and member on its own line, with two spaces of indentation for each level.
  /// Without this option the text is one line without spaces.
  public static let pretty = JSONOptions(rawValue: 1)
}
