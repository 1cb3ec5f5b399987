import CLua
import ScriptValue

/// What `list.count` and its siblings found while a view ran, for its next run.
///
/// A count of a short list is not remembered: a loop costs little there, and its reads say which fields of which elements
/// the view depends on. Nor is one that another count's predicate makes.
///
/// The n-th count of a run belongs to the n-th one of the run before. It asks again about all elements if its predicate is
/// another one, else about those that changed.
package struct MatchCounts {
  fileprivate struct Count {
    let matches: ListMatches
    let predicate: LuaFunction
  }

  fileprivate var counts: [Count] = []

  package init() {}
}

/// The counts of the view that runs, which the hooks use.
struct RunningCounts {
  /// Whether a view runs that can remember counts.
  private let isRunning: Bool
  /// What the run before has found.
  private let known: [MatchCounts.Count]
  /// What this run has found.
  fileprivate private(set) var new: [MatchCounts.Count] = []
  /// The count that is being made.
  private var current: MatchCounts.Count?

  init() {
    isRunning = false
    known = []
  }

  fileprivate init(after known: MatchCounts) {
    isRunning = true
    self.known = known.counts
  }

  /// The predicate that the run before had at this place, borrowed (+0); LUA_NOREF if there was none.
  var knownPredicate: Int32 {
    new.count < known.count ? known[new.count].predicate.slot : LUA_NOREF
  }

  /// Whether a count of the elements of a list (+0) is remembered.
  func remember(_ list: Slot) -> Bool {
    isRunning && current == nil && list.tag == .list
      && PersistentList.count(list) >= ReadTrace.manyReads
  }

  /// Begins to count the elements of a list (+0), for which ``remember(_:)`` is true.
  mutating func begin(_ list: Slot, _ predicate: LuaFunction, isSame: Bool) {
    let matches = isSame && new.count < known.count ? known[new.count].matches : ListMatches()
    matches.begin(list)
    current = MatchCounts.Count(matches: matches, predicate: predicate)
  }

  func candidate(after matches: Bool) -> Slot? { current?.matches.next(after: matches) }

  /// Ends the count, and returns it. One that is not complete is forgotten.
  mutating func end(isComplete: Bool) -> Int {
    defer { current = nil }
    guard isComplete, let current else { return 0 }
    current.matches.end()
    new.append(current)
    return current.matches.count
  }
}

extension LuaVM {
  /// Runs `body`, a run of the view to which `counts` belong.
  package func counting<R: ~Copyable>(
    _ counts: inout MatchCounts, _ body: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    let outer = arena.pointee.views.counts
    arena.pointee.views.counts = RunningCounts(after: counts)
    defer {
      counts.counts = arena.pointee.views.counts.new
      arena.pointee.views.counts = outer
    }
    return try body()
  }

  /// Brings `matches` up to date with a list (+0): asks `predicate` about each element that is new.
  package func update(
    _ matches: ListMatches, to list: Slot, by predicate: LuaFunction
  ) throws(ScriptError) {
    matches.begin(list)
    arena.pointee.views.candidates = .passUnretained(matches)
    defer { arena.pointee.views.candidates = nil }
    try check(sl_ask_predicate(core, core.pointee.L, predicate.slot))
    matches.end()
  }
}

extension DraftArena {
  /// Writes the next element that a predicate is asked about to `out`. Returns false if there is none.
  mutating func putCandidate(after matches: Bool, into out: UnsafeMutablePointer<sl_value>) -> Bool
  {
    let next =
      views.candidates.map { $0._withUnsafeGuaranteedRef { $0.next(after: matches) } }
      ?? views.counts.candidate(after: matches)
    guard let element = next else { return false }
    if element.isContainer {
      DraftArena.putView(element, generation: core.pointee.drafts.valid.view_generation, into: out)
    } else {
      DraftArena.putScalar(element, into: out)
    }
    return true
  }
}
