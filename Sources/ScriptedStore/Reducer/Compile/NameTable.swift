import ScriptValue

/// Numbers for names, from 0 in the order in which the names are added. A lookup takes bytes; it
/// makes no `String`.
///
/// 1. `entries` is sorted.
/// 2. Two names of the same length, up to 16 bytes, are equal if their `ends` are equal. Only
///    longer names are compared byte by byte.
struct NameTable {
  private(set) var names: [String] = []
  private var entries: [(ends: Ends, number: Int)] = []

  /// The first and the last eight bytes of a name, and its length in bytes, which distinguish most names.
  private struct Ends: Equatable {
    let low, high: UInt64
    let count: Int

    @inline(__always)
    init(_ name: UnsafeRawBufferPointer) {
      count = name.count
      (low, high) = name.baseAddress.map { UTF8Text.ends(of: $0, name.count) } ?? (0, 0)
    }

    @inline(__always)
    func isBefore(_ other: Ends) -> Bool {
      if low != other.low { return low < other.low }
      return high != other.high ? high < other.high : count < other.count
    }
  }

  /// Returns the number of the name, and adds the name if it is new.
  mutating func add(_ name: String) -> Int {
    let known = number(of: name)
    if known >= 0 { return known }
    var text = name
    let ends = text.withUTF8 { Ends(UnsafeRawBufferPointer($0)) }
    entries.insert((ends, names.count), at: index(of: ends))
    names.append(name)
    return names.count - 1
  }

  func number(of name: String) -> Int {
    var name = name
    return name.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
  }

  /// The number of the name with these bytes; -1 if it was not added.
  @inline(__always)
  func number(of name: UnsafeRawBufferPointer) -> Int {
    let ends = Ends(name)
    var index = index(of: ends)
    while index < entries.count, entries[index].ends == ends {
      let number = entries[index].number
      if ends.count <= 16 || names[number].utf8.elementsEqual(name) { return number }
      index += 1
    }
    return -1
  }

  /// The index of the first entry that is not before `ends`.
  @inline(__always)
  private func index(of ends: Ends) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].ends.isBefore(ends) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
