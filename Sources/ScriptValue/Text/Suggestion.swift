/// Finds the known name that a misspelt name may mean.
package enum Suggestion {
  /// The name with the fewest edits. Nil if it takes more edits than a third of the longer name's
  /// letters; one edit is always allowed.
  package static func nearest(to name: String, in names: some Sequence<String>) -> String? {
    // The time for one name grows with the product of both lengths, and scripts choose both. Long
    // names are therefore skipped.
    guard isShort(name) else { return nil }
    let measured = names.prefix(nameLimit).filter(isShort).map {
      (name: $0, distance: edits(from: name, to: $0))
    }
    guard let best = measured.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else {
      return nil
    }
    return best.distance <= max(1, max(name.count, best.name.count) / 3) ? best.name : nil
  }

  /// The end of a message about an unknown name: the nearest name if there is one, or else
  /// `otherwise` and all names.
  package static func hint(for name: String, in names: [String], otherwise: String) -> String {
    let all = names.isEmpty ? "none" : names.joined(separator: ", ")
    return "; " + (question(for: name, in: names) ?? "\(otherwise) \(all)")
  }

  /// The question whether the nearest name is meant; nil if none is near.
  package static func question(for name: String, in names: some Sequence<String>) -> String? {
    nearest(to: name, in: names).map { "did you mean '\($0)'?" }
  }

  /// The most names that are compared, and the longest name in bytes of UTF-8.
  private static let nameLimit = 1000, lengthLimit = 64

  private static func isShort(_ name: String) -> Bool { name.utf8.count <= lengthLimit }

  /// The number of edits from one text to the other: a letter inserted, left out or replaced, or
  /// two neighbours swapped. Upper and lower case are the same.
  package static func edits(from a: String, to b: String) -> Int {
    let a = Array(a.lowercased().unicodeScalars)
    let b = Array(b.lowercased().unicodeScalars)
    var (beforeLast, last) = ([Int](), Array(0...b.count))
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var distance = min(last[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, last[j + 1] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          distance = min(distance, beforeLast[j - 1] + 1)
        }
        row.append(distance)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
