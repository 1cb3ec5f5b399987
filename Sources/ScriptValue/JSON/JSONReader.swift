import Platform

/// Reads JSON text strictly by RFC 8259. It makes nodes directly, without a `String` or a ``Value``
/// in between.
///
/// The rows of a list usually have the same keys. The reader therefore predicts the shape of an
/// object:
/// 1. `shapes` has, for each ``Location``, the shape of the last object that was read there.
/// 2. The keys of the next object there are first compared with the bytes of the predicted keys. A
///    shape can be predicted only if its keys need no escapes, so that these bytes are the JSON
///    text.
/// 3. If all keys match, the object allocates its node and its strings, but no keys.
/// 4. At the first difference, the keys that matched are pushed to `keys`, and the object is read
///    member by member.
///
/// Invariant: `values`, `keys` and the builders own (+1) the slots of the objects and arrays that
/// are not finished. If reading fails, their `deinit` releases those slots.
struct JSONReader: ~Copyable {
  let depthLimit: Int
  let start: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  var cursor: UnsafePointer<UInt8>
  /// The bytes of the last string that had escapes, after decoding.
  var scratch: [UInt8] = []

  /// Values of the objects that are not finished.
  var values = SlotStack()
  /// Keys of the unfinished objects whose shape was not predicted.
  var keys = SlotStack()
  /// The predicted shape for each location.
  private var shapes: [Shape?] = []

  /// The location of a value: the number of containers around it, and its member index, modulo 8,
  /// in the innermost object. Elements of an array have the member index of the array.
  struct Location {
    var level: Int
    var member: Int

    static let root = Location(level: 0, member: 0)

    /// The location of a value in the container at this location.
    @inline(__always)
    func inner(_ member: Int) -> Location { Location(level: level + 1, member: member & 7) }

    fileprivate var index: Int { level * 8 + member }
  }

  /// The shape that an object at this location probably has.
  @inline(__always)
  func predictedShape(_ location: Location) -> Shape? {
    location.index < shapes.count ? shapes[location.index] : nil
  }

  mutating func predict(_ shape: Shape, _ location: Location) {
    while shapes.count <= location.index { shapes.append(nil) }
    shapes[location.index] = shape
  }

  private init(_ start: UnsafePointer<UInt8>, count: Int, depthLimit: Int) {
    self.depthLimit = depthLimit
    self.start = start
    end = start + count
    cursor = start
  }

  /// Reads a whole text and returns its value (+1).
  static func read(
    _ text: UnsafeBufferPointer<UInt8>, depthLimit: Int
  ) throws(JSONFault) -> Slot {
    guard let start = text.baseAddress, !text.isEmpty else {
      throw JSONFault(reason: .unexpected, offset: 0)
    }
    var reader = JSONReader(start, count: text.count, depthLimit: depthLimit)
    return try reader.readDocument()
  }

  private mutating func readDocument() throws(JSONFault) -> Slot {
    if end - cursor >= 3, cursor[0] == 0xEF, cursor[1] == 0xBB, cursor[2] == 0xBF {
      throw fault(.byteOrderMark, at: cursor)
    }
    skipSpace()
    let value = try readValue(.root)
    skipSpace()
    if cursor < end {
      value.release()
      throw fault(.afterValue, at: cursor)
    }
    return value
  }

  func fault(_ reason: JSONFault.Reason, at position: UnsafePointer<UInt8>) -> JSONFault {
    JSONFault(reason: reason, offset: position - start)
  }

  @inline(__always)
  mutating func skipSpace() {
    while cursor < end, cursor.pointee <= 0x20 {
      switch cursor.pointee {
      case 0x20, 0x0A, 0x0D, 0x09: cursor += 1
      default: return
      }
    }
  }

  /// The byte at the cursor. 0 at the end of the text; no grammar rule accepts 0.
  @inline(__always)
  var next: UInt8 { cursor < end ? cursor.pointee : 0 }

  /// Reads the value (+1) at the cursor.
  @inline(__always)
  mutating func readValue(_ location: Location) throws(JSONFault) -> Slot {
    switch next {
    case UInt8(ascii: "\""):
      return try readString { bytes in Slot.string(trustedUTF8: bytes) }
    case UInt8(ascii: "{"): return try readObject(location)
    case UInt8(ascii: "["): return try readArray(location)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
    case UInt8(ascii: "t"): return try readWord("true", .boolean(true))
    case UInt8(ascii: "f"): return try readWord("false", .boolean(false))
    case UInt8(ascii: "n"): return try readWord("null", .null)
    default: throw fault(.expected("a value"), at: cursor)
    }
  }

  @inline(__always)
  private mutating func readWord(
    _ word: StaticString, _ value: Slot
  ) throws(JSONFault) -> Slot {
    let count = word.utf8CodeUnitCount
    guard end - cursor >= count, memcmp(cursor, word.utf8Start, count) == 0 else {
      throw fault(.expected("a value"), at: cursor)
    }
    cursor += count
    return value
  }

  private mutating func readArray(_ location: Location) throws(JSONFault) -> Slot {
    if location.level >= depthLimit { throw fault(.depth(depthLimit), at: cursor) }
    cursor += 1
    skipSpace()
    if next == UInt8(ascii: "]") {
      cursor += 1
      return .empty(.table)
    }
    var list = PersistentList.Builder()
    while true {
      list.append(try readValue(location.inner(location.member)))
      skipSpace()
      switch next {
      case UInt8(ascii: ","):
        cursor += 1
        skipSpace()
      case UInt8(ascii: "]"):
        cursor += 1
        return list.finish().ownedSlot()
      default: throw fault(.expected("',' or ']'"), at: cursor)
      }
    }
  }
}
