import LuaBridge
import Synchronization

/// Counts how often each line of each script ran, over all test files that have this object in
/// their configuration.
///
/// Only scripts that were required are counted, not the test files themselves.
public final class Coverage: Sendable {
  /// A script and its counts.
  public struct File: Sendable, Hashable {
    /// The absolute path, without symbolic links.
    public let path: String
    /// The path relative to the script root, as in messages.
    public let name: String
    /// How often each line ran, by line number from 1. It has all lines that can run, and no
    /// others.
    public let hits: [Int: Int]

    /// The number of lines that can run, and the number of those that did.
    public var count: (executable: Int, covered: Int) {
      (hits.count, hits.values.count { $0 > 0 })
    }
  }

  private let counts = Mutex<[String: (name: String, hits: [Int: Int])]>([:])

  public init() {}

  /// The scripts that were loaded so far, sorted by name.
  public var files: [File] {
    counts.withLock { counts in
      counts.map { File(path: $0.key, name: $0.value.name, hits: $0.value.hits) }
    }.sorted { $0.name < $1.name }
  }

  /// Adds a script that was loaded; `lines` can run. Lines that only close a block or a call are
  /// left out: Lua attributes the return after a tail call to them, and it never runs.
  func add(_ script: ScriptRoot.Script, lines: Set<Int>) {
    let lines = lines.subtracting(Coverage.closingLines(of: script))
    counts.withLock { counts in
      var entry = counts[script.path] ?? (script.name, [:])
      for line in lines where entry.hits[line] == nil { entry.hits[line] = 0 }
      counts[script.path] = entry
    }
  }

  private static func closingLines(of script: ScriptRoot.Script) -> Set<Int> {
    guard let source = try? script.read() else { return [] }
    var closing: Set<Int> = []
    let lines = source.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let words = line.split { " \t\r(){},;".utf8.contains($0) }
      if words.allSatisfy({ $0.elementsEqual("end".utf8) }) { closing.insert(index + 1) }
    }
    return closing
  }

  /// Adds counts of a script: `hits[n]` is that of line n.
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
