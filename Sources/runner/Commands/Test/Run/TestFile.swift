/// A test file as the command line found it.
struct TestFile: Hashable, Sendable {
  /// The path that opens the file.
  let path: String
  /// The name in messages: relative to the script root if the file is in it, else `path`.
  let name: String
}
