import Synchronization

/// Numbers that are given out once in a process.
enum SerialNumber {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// What a node has made for each scope that it ran in; what belongs to scopes that are gone goes in time.
struct ScopeMemo<Made> {
  private struct Entry {
    weak var scope: DependencyScope?
    let made: Made
  }

  /// The one that was asked for last, since most nodes run in one scope.
  private var last: (number: UInt64, made: Made)?
  private var entries: [UInt64: Entry] = [:]
  private var limit = 8

  /// What was made for `scope`. O(1).
  mutating func made(for scope: DependencyScope) -> Made? {
    if let last, last.number == scope.number { return last.made }
    guard let made = entries[scope.number]?.made else { return nil }
    last = (scope.number, made)
    return made
  }

  mutating func keep(_ made: Made, for scope: DependencyScope) {
    if entries.count >= limit {
      entries = entries.filter { $0.value.scope != nil }
      limit = max(8, 2 * entries.count)
    }
    entries[scope.number] = Entry(scope: scope, made: made)
    last = (scope.number, made)
  }
}
