/// A test, script or recording as ``FileSearch`` found it.
struct FoundFile: Hashable, Sendable {
  /// The path that opens the file, from the current folder if the file is in it. Reports have it.
  let path: String
  /// The name of the host: relative to the script root if the file is in it, else a path.
  let name: String
}
