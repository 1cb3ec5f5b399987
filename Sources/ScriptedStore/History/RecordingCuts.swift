import LuaBridge

/// Which entries of a recording are there at its end: those after one that the store went back to are not. With it a
/// recording can be read that is too long to keep what it says: it takes memory for each time that the store went back, at
/// most. To be told of all lines, in order, before they are read.
package struct RecordingCuts {
  /// Each is of a lower number than those after it: of those after a line the first has the lowest.
  private var cuts: [(line: Int, number: Int)] = []
  private var passed = 0
  /// The number of the entry before the first; nil before the first line.
  private var base: Int?

  package init() {}

  /// Takes note of a line, with its number.
  package mutating func scan(_ line: some Collection<UInt8>, line number: Int) {
    // One that is no line of a recording is an error when it is read.
    guard let value = try? Value(json: line) else { return }
    guard let base else {
      base = value["after"].int ?? 0
      return
    }
    guard value["n"].int == nil, value["call"].int == nil, let entry = value["go"].int,
      entry >= base
    else { return }
    while let last = cuts.last, last.number >= entry { cuts.removeLast() }
    cuts.append((number, entry))
  }

  /// The highest number that an entry of a line may have to be there at the end. Lines are to be asked for in order.
  package mutating func highest(on line: Int) -> Int {
    while passed < cuts.count, cuts[passed].line <= line { passed += 1 }
    return passed < cuts.count ? cuts[passed].number : .max
  }
}
