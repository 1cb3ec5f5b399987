/// A test, script or recording as ``FileSearch`` found it.
struct FoundFile: Hashable, Sendable {
  /// The path that opens the file.
  let path: String
  /// The name in messages: relative to the script root if the file is in it, else `path`.
  let name: String
}
