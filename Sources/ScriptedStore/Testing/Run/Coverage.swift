import LuaBridge
import Synchronization

/// Which lines of scripts ran, and how often, in all test files that were given it.
///
/// Counted are scripts that were required, not the test files themselves.
public final class Coverage: Sendable {
  /// A script and its lines.
  public struct File: Sendable, Hashable {
    /// Absolute, without links.
    public let path: String
    /// Relative to the script root, as messages have it.
    public let name: String
    /// How often each line ran that has something to run; others are not there.
    public let hits: [Int: Int]

    /// How many lines could run, and how many did.
    public var count: (executable: Int, covered: Int) {
      (hits.count, hits.values.count { $0 > 0 })
    }
  }

  private let counts = Mutex<[String: (name: String, hits: [Int: Int])]>([:])

  public init() {}

  /// What ran so far, by name.
  public var files: [File] {
    counts.withLock { counts in
      counts.map { File(path: $0.key, name: $0.value.name, hits: $0.value.hits) }
    }.sorted { $0.name < $1.name }
  }

  /// A script was loaded whose lines these are.
  func add(_ script: ScriptRoot.Script, lines: Set<Int>) {
    counts.withLock { counts in
      var entry = counts[script.path] ?? (script.name, [:])
      for line in lines where entry.hits[line] == nil { entry.hits[line] = 0 }
      counts[script.path] = entry
    }
  }

  /// How often lines of a script ran, by line.
  func add(_ hits: [UInt32], at path: String) {
    counts.withLock { counts in
      guard var entry = counts.removeValue(forKey: path) else { return }
      for (line, count) in hits.enumerated() where count > 0 {
        entry.hits[line]? += Int(count)
      }
      counts[path] = entry
    }
  }
}
