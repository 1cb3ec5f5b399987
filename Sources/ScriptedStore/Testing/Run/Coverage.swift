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

  /// A script was loaded in which these lines have something to run. Those that only close what others opened are
  /// left out: Lua has the return of a call in tail position there, which is never reached.
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
