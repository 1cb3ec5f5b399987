import ScriptValue

/// Numbers for names, from 0 in the order in which the names are added. A lookup takes bytes; it
/// makes no `String` and counts no reference.
///
/// The entries are a hash table with linear probing, in memory that this object owns.
///
/// 1. The number of entries is a power of two, and at most half of them are taken. So each search
///    ends at a free entry.
/// 2. Names are never removed.
/// 3. Two names of the same length, up to 16 bytes, are equal if their `ends` are equal. Only
///    longer names are compared byte by byte.
final class NameTable {
  private(set) var names: [String] = []

  /// The first and the last eight bytes of a name, which distinguish most names.
  private struct Entry {
    var ends: (low: UInt64, high: UInt64)
    /// The length of the name in bytes.
    var count: Int32
    /// The name's number; -1 if the entry is free.
    var number: Int32

    static let free = Entry(ends: (0, 0), count: 0, number: -1)
  }

  private var entries = UnsafeMutableBufferPointer<Entry>.allocate(capacity: 8)

  init() { entries.initialize(repeating: .free) }

  deinit { entries.deallocate() }

  /// Returns the number of the name, and adds the name if it is new.
  func add(_ name: String) -> Int {
    let known = number(of: name)
    if known >= 0 { return known }
    names.append(name)
    if names.count * 2 > entries.count { grow() } else { insert(names.count - 1) }
    return names.count - 1
  }

  private func grow() {
    let count = entries.count * 2
    entries.deallocate()
    entries = .allocate(capacity: count)
    entries.initialize(repeating: .free)
    for number in names.indices { insert(number) }
  }

  private func insert(_ number: Int) {
    var name = names[number]
    name.withUTF8 { bytes in
      let ends = NameTable.ends(of: UnsafeRawBufferPointer(bytes))
      var index = startIndex(of: ends, bytes.count)
      while entries[index].number >= 0 { index = (index + 1) & (entries.count - 1) }
      entries[index] = Entry(ends: ends, count: Int32(bytes.count), number: Int32(number))
    }
  }

  @inline(__always)
  private static func ends(of name: UnsafeRawBufferPointer) -> (low: UInt64, high: UInt64) {
    name.baseAddress.map { UTF8Text.ends(of: $0, name.count) } ?? (0, 0)
  }

  @inline(__always)
  private func startIndex(of ends: (low: UInt64, high: UInt64), _ count: Int) -> Int {
    let mixed = ends.low &+ ends.high &* 0xFF51_AFD7_ED55_8CCD &+ UInt64(count)
    return Int(truncatingIfNeeded: mixed &* 0x9E37_79B9_7F4A_7C15 >> 40) & (entries.count - 1)
  }

  func number(of name: String) -> Int {
    var name = name
    return name.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
  }

  /// The number of the name with these bytes; -1 if it was not added.
  @inline(__always)
  func number(of name: UnsafeRawBufferPointer) -> Int {
    let ends = NameTable.ends(of: name)
    var index = startIndex(of: ends, name.count)
    while true {
      let entry = entries[index]
      if entry.number < 0 { return -1 }
      if entry.ends.low == ends.low && entry.ends.high == ends.high
        && Int(entry.count) == name.count
        && (name.count <= 16 || isNumber(Int(entry.number), of: name))
      {
        return Int(entry.number)
      }
      index = (index + 1) & (entries.count - 1)
    }
  }

  private func isNumber(_ number: Int, of name: UnsafeRawBufferPointer) -> Bool {
    names[number].utf8.elementsEqual(name)
  }
}
