import LuaBridge

/// Numbers for names, from 0 in order of their adding; looked up by bytes, without a `String` and without
/// counting a reference.
final class NameTable {
  private(set) var names: [String] = []
  /// By number, in memory of this table's own; room for as many as `places` has.
  private var bytes = UnsafeMutablePointer<UnsafeRawBufferPointer>.allocate(capacity: 8)
  /// Open addressing, number + 1 by hash.
  private var places = UnsafeMutableBufferPointer<Int32>.allocate(capacity: 8)

  init() { places.initialize(repeating: 0) }

  deinit {
    for number in names.indices { bytes[number].deallocate() }
    bytes.deallocate()
    places.deallocate()
  }

  /// The name's number, a new one if it has none.
  func add(_ name: String) -> Int {
    let known = number(of: name)
    if known >= 0 { return known }
    (bytes + names.count).initialize(to: NameTable.copy(name))
    names.append(name)
    if names.count * 2 > places.count { grow() } else { place(names.count - 1) }
    return names.count - 1
  }

  /// The bytes of a name, for the caller to deallocate.
  private static func copy(_ name: String) -> UnsafeRawBufferPointer {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: name.utf8.count, alignment: 1)
    copy.copyBytes(from: name.utf8)
    return UnsafeRawBufferPointer(copy)
  }

  private func grow() {
    let count = places.count * 2
    let grown = UnsafeMutablePointer<UnsafeRawBufferPointer>.allocate(capacity: count)
    grown.moveInitialize(from: bytes, count: names.count)
    bytes.deallocate()
    bytes = grown
    places.deallocate()
    places = .allocate(capacity: count)
    places.initialize(repeating: 0)
    for number in names.indices { place(number) }
  }

  private func place(_ number: Int) {
    var place = NameTable.hash(bytes[number]) & (places.count - 1)
    while places[place] != 0 { place = (place + 1) & (places.count - 1) }
    places[place] = Int32(number + 1)
  }

  func number(of name: String) -> Int {
    var name = name
    return name.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
  }

  /// The number of the name with these bytes, or -1.
  @inline(__always)
  func number(of name: UnsafeRawBufferPointer) -> Int {
    var place = NameTable.hash(name) & (places.count - 1)
    while true {
      let number = Int(places[place]) - 1
      if number < 0 { return -1 }
      if UTF8Text.equals(bytes[number], name) { return number }
      place = (place + 1) & (places.count - 1)
    }
  }

  /// Length and three bytes tell most names of one feature apart.
  @inline(__always)
  private static func hash(_ name: UnsafeRawBufferPointer) -> Int {
    guard name.count > 0 else { return 0 }
    let outer = Int(name[0]) &* 31 &+ Int(name[name.count - 1])
    let mixed = outer &* 31 &+ Int(name[name.count / 2]) &+ name.count &* 7
    return mixed ^ mixed >> 5
  }
}
