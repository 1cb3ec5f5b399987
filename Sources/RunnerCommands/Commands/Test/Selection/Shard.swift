import ArgumentParser
import Platform
import ScriptedStore

/// One of several parts of the tests, such as `2/3`. Each test is in exactly one part. The part is
/// the same on every machine and with every other selection.
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

  /// The tests of a file that are in this part, in their order.
  func part(of tests: [ScriptTest], in file: FoundFile) -> [ScriptTest] {
    tests.filter { contains(file: file.name, test: $0.name) }
  }

  private func contains(file: String, test: String) -> Bool {
    var hash = stableHash("\(file)\0\(test)".utf8)
    // Mixes in the high bits, because the low bits of short texts are similar.
    hash ^= hash >> 32
    return hash % UInt64(count) == UInt64(number - 1)
  }
}
