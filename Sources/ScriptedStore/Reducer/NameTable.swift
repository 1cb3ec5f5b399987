import LuaBridge

/// Numbers for names, from 0 in order of their adding; looked up by bytes, without a `String`.
struct NameTable {
  private(set) var names: [String] = []
  private var bytes: [[UInt8]] = []
  /// Open addressing, number + 1 by hash.
  private var places: [Int32] = Array(repeating: 0, count: 8)

  /// The name's number, a new one if it has none.
  mutating func add(_ name: String) -> Int {
    let utf8 = Array(name.utf8)
    let known = utf8.withUnsafeBytes { number(of: $0) }
    if known >= 0 { return known }
    names.append(name)
    bytes.append(utf8)
    if names.count * 2 > places.count {
      places = Array(repeating: 0, count: places.count * 2)
      for number in names.indices { place(number) }
    } else {
      place(names.count - 1)
    }
    return names.count - 1
  }

  private mutating func place(_ number: Int) {
    var place = bytes[number].withUnsafeBytes { NameTable.hash($0) } & (places.count - 1)
    while places[place] != 0 { place = (place + 1) & (places.count - 1) }
    places[place] = Int32(number + 1)
  }

  /// The number of the name with these bytes, or -1.
  @inline(__always)
  func number(of name: UnsafeRawBufferPointer) -> Int {
    var place = NameTable.hash(name) & (places.count - 1)
    while true {
      let number = Int(places[place]) - 1
      if number < 0 { return -1 }
      if bytes[number].withUnsafeBytes({ UTF8Text.equals($0, name) }) { return number }
      place = (place + 1) & (places.count - 1)
    }
  }

  /// Length and the outer bytes tell most names of one feature apart.
  @inline(__always)
  private static func hash(_ name: UnsafeRawBufferPointer) -> Int {
    guard let first = name.first, let last = name.last else { return 0 }
    let middle = name[name.count / 2]
    let mixed = (Int(first) &* 31 &+ Int(last)) &* 31 &+ Int(middle) &+ name.count &* 7
    return mixed ^ mixed >> 5
  }
}

/// Which of the known names somebody may have meant.
enum Suggestion {
  /// The nearest name, if it is near: at most a third of its letters differ.
  static func nearest(to name: String, in names: [String]) -> String? {
    let measured = names.map { (name: $0, distance: distance(name, $0)) }
    guard let best = measured.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else {
      return nil
    }
    return best.distance <= max(1, max(name.count, best.name.count) / 3) ? best.name : nil
  }

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
