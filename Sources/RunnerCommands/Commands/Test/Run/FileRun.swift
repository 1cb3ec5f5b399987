/// One run of a file. With `--repeat` a file has several.
struct FileRun: Hashable, Sendable {
  let file: FoundFile
  /// From 1.
  let round: Int
  /// The total number of rounds.
  let rounds: Int
  /// Shuffles the file's tests; nil to keep their order.
  let seed: UInt64?

  /// The path of the file, with the round if there are several.
  var title: String {
    guard rounds > 1 else { return file.path }
    return "\(file.path) (run \(round) of \(rounds)\(seed.map { ", seed \($0)" } ?? ""))"
  }
}
