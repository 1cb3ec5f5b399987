/// Something that waits for a time: an entry of a ``TimerHeap``.
class TimerEntry {
  /// In microseconds of its clock.
  final var deadline: Int64 = 0
  /// Orders entries of the same time: first added, first fired.
  final fileprivate(set) var order: UInt64 = 0
  /// Its index in the heap; -1 while it is in none.
  final fileprivate(set) var index: Int32 = -1
  /// The ``ClockInstant/fraction`` of the deadline.
  final var fraction: Float = 0

  final var time: ClockInstant {
    ClockInstant(microseconds: deadline, fraction: Double(fraction))
  }

  final var isPending: Bool { index >= 0 }

  /// Called at its time, when it is out of the heap.
  func fire() {}

  /// The text for an error that lists what still waits: `Timers (timers.lua:12) sleeps`. Nil for an entry that it leaves out.
  var sleeper: String? { nil }
}

/// The entries that wait for a time: a binary heap, the earliest first.
///
/// 1. Entries are ordered by `deadline`, then by `order`.
/// 2. Each entry stores its index, so that it can be removed in O(log n). All operations are O(log
///    n), except where they say otherwise.
struct TimerHeap {
  private var entries: [TimerEntry] = []
  private var nextOrder: UInt64 = 0

  /// The deadline of the first entry; `Int64.max` if the heap is empty. O(1).
  var earliest: Int64 { entries.first?.deadline ?? .max }

  /// Earliest first. O(n log n).
  var sorted: [TimerEntry] { entries.sorted(by: TimerHeap.isBefore) }

  mutating func add(_ timed: TimerEntry, at deadline: Int64) {
    timed.deadline = deadline
    timed.order = nextOrder
    nextOrder += 1
    entries.append(timed)
    timed.index = Int32(entries.count - 1)
    rise(from: entries.count - 1)
  }

  mutating func remove(_ timed: TimerEntry) {
    let index = Int(timed.index)
    guard index >= 0 else { return }
    timed.index = -1
    let last = entries.removeLast()
    guard index < entries.count else { return }
    put(last, at: index)
    rise(from: index)
    sink(from: index)
  }

  /// Removes and returns the first entry if it is due by `time`.
  mutating func popDue(by time: Int64) -> TimerEntry? {
    guard let first = entries.first, first.deadline <= time else {
      return nil
    }
    remove(first)
    return first
  }

  private static func isBefore(_ a: TimerEntry, _ b: TimerEntry) -> Bool {
    a.deadline != b.deadline ? a.deadline < b.deadline : a.order < b.order
  }

  private mutating func put(_ entry: TimerEntry, at index: Int) {
    entries[index] = entry
    entry.index = Int32(index)
  }

  private mutating func rise(from start: Int) {
    var index = start
    let entry = entries[index]
    while index > 0 {
      let parent = (index - 1) / 2
      guard TimerHeap.isBefore(entry, entries[parent]) else { break }
      put(entries[parent], at: index)
      index = parent
    }
    if index != start { put(entry, at: index) }
  }

  private mutating func sink(from start: Int) {
    var index = start
    let entry = entries[index]
    while true {
      var child = 2 * index + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count && TimerHeap.isBefore(entries[child + 1], entries[child]) {
        child += 1
      }
      guard TimerHeap.isBefore(entries[child], entry) else { break }
      put(entries[child], at: index)
      index = child
    }
    if index != start { put(entry, at: index) }
  }
}
