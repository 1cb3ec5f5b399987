#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reads JSON text (RFC 8259, strictly) straight into nodes: no `String`, no ``Value`` on the way.
///
/// Rows of a list usually have the keys of the row before: each level of nesting remembers the
/// shape of its last object, and the next one's keys are first compared with that, so that such a
/// row allocates its node and its strings and nothing else.
struct JSONReader: ~Copyable {
  static var depthLimit: Int { maximumDepth }

  let start: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  var cursor: UnsafePointer<UInt8>
  /// A string whose escapes have been undone.
  var scratch: [UInt8] = []

  /// Values of the objects that are still open.
  var values = SlotStack()
  /// Keys of the open objects whose shape was not the predicted one.
  var keys = SlotStack()
  /// The shape of the last object at each level; only shapes whose keys stand in JSON as they are.
  var shapes = [Shape?](repeating: nil, count: depthLimit + 1)

  private init(_ start: UnsafePointer<UInt8>, count: Int) {
    self.start = start
    end = start + count
    cursor = start
  }

  /// The value (+1) of a whole text.
  static func read(_ text: UnsafeBufferPointer<UInt8>) throws(JSONFault) -> Slot {
    guard let start = text.baseAddress, !text.isEmpty else {
      throw JSONFault(reason: .unexpected, offset: 0)
    }
    var reader = JSONReader(start, count: text.count)
    return try reader.readDocument()
  }

  private mutating func readDocument() throws(JSONFault) -> Slot {
    if end - cursor >= 3, cursor[0] == 0xEF, cursor[1] == 0xBB, cursor[2] == 0xBF {
      throw fault(.byteOrderMark, at: cursor)
    }
    skipSpace()
    let value = try readValue(level: 0)
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

  /// The value (+1) at the cursor, inside `level` containers.
  @inline(__always)
  mutating func readValue(level: Int) throws(JSONFault) -> Slot {
    switch next {
    case UInt8(ascii: "\""):
      return try readString { bytes in Slot.string(trustedUTF8: bytes) }
    case UInt8(ascii: "{"): return try readObject(level: level + 1)
    case UInt8(ascii: "["): return try readArray(level: level + 1)
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

  private mutating func readArray(level: Int) throws(JSONFault) -> Slot {
    if level > Self.depthLimit { throw fault(.depth, at: cursor) }
    cursor += 1
    skipSpace()
    if next == UInt8(ascii: "]") {
      cursor += 1
      return .empty(.table)
    }
    var list = PersistentList.Builder()
    while true {
      list.append(try readValue(level: level))
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
