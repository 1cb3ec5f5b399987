/// One test of a test file: a call of `it`, or of one of its other names.
public struct ScriptTest: Sendable, Hashable {
  /// The test file's name in messages: relative to the script root if it is below the root.
  public let file: String
  /// The line where the test begins, from 1.
  public let line: Int
  /// The names of the blocks around the test, outermost first, and the test's own name.
  public let path: [String]
  /// The tags in the test's name and in the names of the blocks around it, without `#`.
  public let tags: Set<String>
  /// The index among the file's tests. It identifies the test, because several tests may have the
  /// same name and line.
  let index: Int

  /// All names, joined by spaces, as in busted. A runner selects tests by this name.
  public var name: String { path.joined(separator: " ") }
}
