import ScriptedStore

/// A file of tests, as the command line found it.
struct TestFile: Hashable, Sendable {
  /// What opens it.
  let path: String
  /// What messages call it: relative to the script root where it is in there.
  let name: String
}

/// One run of a file: with `--repeat` there are several.
struct TestFileRun: Hashable, Sendable {
  let file: TestFile
  /// From 1.
  let round: Int
  /// How many rounds there are.
  let rounds: Int
  /// What shuffles its tests.
  let seed: UInt64?

  /// The name, with what tells it from the other runs of the file.
  var title: String {
    guard rounds > 1 else { return file.name }
    return "\(file.name) (run \(round) of \(rounds)\(seed.map { ", seed \($0)" } ?? ""))"
  }
}
