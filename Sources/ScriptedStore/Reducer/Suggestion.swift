/// Which of the known names somebody may have meant.
package enum Suggestion {
  /// The nearest name, if it is near: at most a third of its letters differ.
  package static func nearest(to name: String, in names: [String]) -> String? {
    // The time to measure one grows with the product of their lengths, and scripts choose both.
    guard isShort(name) else { return nil }
    let measured = names.prefix(most).filter(isShort).map {
      (name: $0, distance: distance(name, $0))
    }
    guard let best = measured.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else {
      return nil
    }
    return best.distance <= max(1, max(name.count, best.name.count) / 3) ? best.name : nil
  }

  /// As many as are looked at, and what a name has at most.
  private static let most = 1000, longest = 64

  private static func isShort(_ name: String) -> Bool { name.utf8.count <= longest }

  /// Edits from one to the other: letters put in, left out, replaced, and neighbours swapped. Letters of
  /// another case are the same.
  private static func distance(_ a: String, _ b: String) -> Int {
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
