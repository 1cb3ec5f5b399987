#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reads JSON text (RFC 8259, strictly) straight into nodes: no `String`, no ``Value`` on the way.
///
/// Rows of a list usually have the keys of the row before: the shape of the last object at each
/// ``Place`` is remembered, and the next one's keys are first compared with that, so that such a row
/// allocates its node and its strings and nothing else.
struct JSONReader: ~Copyable {
  let depthLimit: Int
  let start: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  var cursor: UnsafePointer<UInt8>
  /// A string whose escapes have been undone.
  var scratch: [UInt8] = []

  /// Values of the objects that are still open.
  var values = SlotStack()
  /// Keys of the open objects whose shape was not the predicted one.
  var keys = SlotStack()
  /// The shape of the last object at each place; only shapes whose keys stand in JSON as they are.
  private var shapes: [Shape?] = []

  /// Where a value stands: in how many containers, and in which member, counted modulo eight, of
  /// the innermost object.
  struct Place {
    var level: Int
    var member: Int

    static let root = Place(level: 0, member: 0)

    /// Inside the container at this place.
    @inline(__always)
    func inner(_ member: Int) -> Place { Place(level: level + 1, member: member & 7) }

    fileprivate var index: Int { level * 8 + member }
  }

  /// The shape that an object at this place probably has.
  @inline(__always)
  func predictedShape(_ place: Place) -> Shape? {
    place.index < shapes.count ? shapes[place.index] : nil
  }

  mutating func predict(_ shape: Shape, _ place: Place) {
    while shapes.count <= place.index { shapes.append(nil) }
    shapes[place.index] = shape
  }

  private init(_ start: UnsafePointer<UInt8>, count: Int, depthLimit: Int) {
    self.depthLimit = depthLimit
    self.start = start
    end = start + count
    cursor = start
  }

  /// The value (+1) of a whole text.
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

  func fault(_ reason: JSONFault.Reason, at place: UnsafePointer<UInt8>) -> JSONFault {
    JSONFault(reason: reason, offset: place - start)
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

  /// The byte at the cursor; 0, which no grammar rule wants, at the end.
  @inline(__always)
  var next: UInt8 { cursor < end ? cursor.pointee : 0 }

  /// The value (+1) at the cursor.
  @inline(__always)
  mutating func readValue(_ place: Place) throws(JSONFault) -> Slot {
    switch next {
    case UInt8(ascii: "\""):
      return try readString { bytes in Slot.string(trustedUTF8: bytes) }
    case UInt8(ascii: "{"): return try readObject(place)
    case UInt8(ascii: "["): return try readArray(place)
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

  private mutating func readArray(_ place: Place) throws(JSONFault) -> Slot {
    if place.level >= depthLimit { throw fault(.depth(depthLimit), at: cursor) }
    cursor += 1
    skipSpace()
    if next == UInt8(ascii: "]") {
      cursor += 1
      return .empty(.table)
    }
    var list = PersistentList.Builder()
    while true {
      list.append(try readValue(place.inner(place.member)))
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
