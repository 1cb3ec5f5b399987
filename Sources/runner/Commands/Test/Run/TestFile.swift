import ScriptedStore

/// A test file as the command line found it.
struct TestFile: Hashable, Sendable {
  /// The path that opens the file.
  let path: String
  /// The name in messages: relative to the script root if the file is in it, else `path`.
  let name: String
}

/// One run of a file. With `--repeat` a file has several.
struct TestFileRun: Hashable, Sendable {
  let file: TestFile
  /// From 1.
  let round: Int
  /// The total number of rounds.
  let rounds: Int
  /// Shuffles the file's tests; nil to keep their order.
  let seed: UInt64?

  /// The name of the file, with the round if there are several.
  var title: String {
    guard rounds > 1 else { return file.name }
    return "\(file.name) (run \(round) of \(rounds)\(seed.map { ", seed \($0)" } ?? ""))"
  }
}
