// A recording is a log: an entry after a `go` line takes the place of those behind the line's target,
// and so does the end of the recording. Until then the store may go forward again. This index, made in
// a first pass over all lines, lets a second pass skip these entries without holding any of them in
// memory.
//
// 1. `cuts` holds the `go` lines that still have an effect, with strictly increasing line numbers
//    and strictly increasing entry numbers. A `go` line with a lower or equal target supersedes the
//    ones before it. Of the `go` lines between two entries only the last one has an effect.
// 2. So the first cut after a line has the lowest target of all cuts after that line.

import ScriptValue

/// Finds the entries that a recording ends with. Both passes must see the lines in order. Memory:
/// at most one item per `go` line.
package struct RecordingCuts {
  /// The line of each cut, and the number of the entry that the store went back to (invariant 1).
  private var cuts: [(line: Int, number: Int)] = []
  private var passed = 0
  /// The last `go` line; nil if an entry or a migration has followed it.
  private var pending: (line: Int, number: Int)?
  /// The number before the first entry; nil before the first line.
  private var base: Int?

  package init() {}

  /// Records a line if it cuts. The header must be the first line.
  package mutating func scan(_ line: some Collection<UInt8>, line number: Int) {
    // An invalid line is reported when it is read.
    guard let value = try? Value(wrappedJSON: line) else { return }
    guard let base else {
      base = value["after"].int ?? 0
      return
    }
    if value["n"].int != nil || value["reload"].int != nil && value.object?["state"] != nil {
      cutPending()
    }
    guard value["n"].int == nil, value["call"].int == nil, let entry = value["go"].int,
      entry >= base
    else { return }
    pending = (number, entry)
  }

  private mutating func cutPending() {
    guard let cut = pending else { return }
    pending = nil
    while let last = cuts.last, last.number >= cut.number { cuts.removeLast() }
    cuts.append(cut)
  }

  /// The highest number of an entry on this line that is still part of the recording at its end.
  /// Must be called with ascending line numbers.
  package mutating func highest(on line: Int) -> Int {
    cutPending()
    while passed < cuts.count, cuts[passed].line <= line { passed += 1 }
    return passed < cuts.count ? cuts[passed].number : .max
  }
}
