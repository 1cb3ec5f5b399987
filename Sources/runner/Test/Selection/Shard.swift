import ArgumentParser
import ScriptedStore

/// One of several parts of the tests, `2/3`: each test is in one of them, the same on every machine and
/// whatever else is selected.
struct Shard: ExpressibleByArgument, Hashable, Sendable {
  /// From 1.
  let number: Int
  let count: Int

  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]), number >= 1,
      number <= count
    else { return nil }
    self.number = number
    self.count = count
  }

  /// Those of a file's tests that are in it, in their order.
  func part(of tests: [ScriptTest], in file: TestFile) -> [ScriptTest] {
    tests.filter { contains(file: file.name, test: $0.name) }
  }

  private func contains(file: String, test: String) -> Bool {
    var hash = stableHash("\(file)\0\(test)")
    // The low bits of short texts are alike.
    hash ^= hash >> 32
    return hash % UInt64(count) == UInt64(number - 1)
  }
}
