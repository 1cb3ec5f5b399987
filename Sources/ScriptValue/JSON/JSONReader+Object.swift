import Platform

extension JSONReader {
  /// Reads the object (+1) at the cursor, which is at its opening brace.
  mutating func readObject(_ location: Location) throws(JSONFault) -> Slot {
    if location.level >= depthLimit { throw fault(.depth(depthLimit), at: cursor) }
    cursor += 1
    skipSpace()
    if next == UInt8(ascii: "}") {
      cursor += 1
      return .empty(.formerObject)
    }
    let base = values.count
    guard let shape = predictedShape(location) else {
      return try readMembers(location, base: base, keyBase: keys.count)
    }
    var position = 0
    while position < shape.count, skipKey(shape.keyBytes(at: position)) {
      try skipColon()
      values.push(try readValue(location.inner(position)))
      position += 1
      if try skipComma() { continue }
      if position == shape.count { return makeObject(shape, base: base) }
      let keyBase = pushKeys(of: shape, count: position)
      return finishObject(location, base: base, keyBase: keyBase)
    }
    let keyBase = pushKeys(of: shape, count: position)
    return try readMembers(location, base: base, keyBase: keyBase)
  }

  /// Reads the members from the key at the cursor on. The values and keys on the stacks above the
  /// bases are the members before it.
  private mutating func readMembers(
    _ location: Location, base: Int, keyBase: Int
  ) throws(JSONFault) -> Slot {
    repeat {
      if keys.count - keyBase == Shape.maximumCount {
        return try readDictionary(location, base: base, keyBase: keyBase)
      }
      let start = cursor
      keys.push(try readKey())
      let key = keys[keys.count - 1].stringBytes
      for index in keyBase..<keys.count - 1 where UTF8Text.equals(keys[index].stringBytes, key) {
        throw fault(.duplicateKey, at: start)
      }
      try skipColon()
      values.push(try readValue(location.inner(values.count - base)))
    } while try skipComma()
    return finishObject(location, base: base, keyBase: keyBase)
  }

  /// Like ``readMembers(_:base:keyBase:)``, for an object with more keys than a shape may have.
  private mutating func readDictionary(
    _ location: Location, base: Int, keyBase: Int
  ) throws(JSONFault) -> Slot {
    var tree = ObjectTree.Builder()
    for index in 0..<keys.count - keyBase {
      tree.append(key: keys[keyBase + index].address, values[base + index])
    }
    keys.removeTransferred(to: keyBase)
    values.removeTransferred(to: base)
    repeat {
      let start = cursor
      let key = try readKey()
      if tree.position(of: key.stringBytes) != nil {
        key.release()
        throw fault(.duplicateKey, at: start)
      }
      // Reading the value may fail. The stack releases the key then.
      keys.push(key)
      try skipColon()
      let value = try readValue(location.inner(tree.count))
      keys.removeTransferred(to: keyBase)
      tree.append(key: key.address, value)
    } while try skipComma()
    return tree.finish().ownedSlot()
  }

  /// Reads the string (+1) at the cursor, which must be a key.
  private mutating func readKey() throws(JSONFault) -> Slot {
    guard next == UInt8(ascii: "\"") else { throw fault(.expected("a key in quotes"), at: cursor) }
    return try readString { bytes in Slot.string(trustedUTF8: bytes) }
  }

  /// Pushes the first `count` keys of a shape, each retained. Returns the index of the first one on
  /// the stack.
  private mutating func pushKeys(of shape: Shape, count: Int) -> Int {
    let keyBase = keys.count
    for position in 0..<count {
      keys.push(Slot(tag: .string, address: shape.keyAddress(at: position)).retained())
    }
    return keyBase
  }

  /// Makes the object (+1) of the keys and values above the bases, and removes them from the
  /// stacks.
  private mutating func finishObject(_ location: Location, base: Int, keyBase: Int) -> Slot {
    let count = keys.count - keyBase
    let shape = withUnsafeTemporaryAllocation(of: NodeAddress.self, capacity: count) { addresses in
      for index in 0..<count { addresses[index] = keys[keyBase + index].address }
      return Shape.of(UnsafeBufferPointer(addresses))
    }
    let isPredictable = (0..<count).allSatisfy { Self.isPlain(keys[keyBase + $0].stringBytes) }
    keys.release(to: keyBase)
    if isPredictable { predict(shape, location) }
    return makeObject(shape, base: base)
  }

  /// Whether JSON writes the string without escapes, so that its bytes may be compared with the
  /// text.
  private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
  }

  @inline(__always)
  private mutating func makeObject(_ shape: Shape, base: Int) -> Slot {
    let node = ObjectNode.make(shape: shape, owning: values.pointer(at: base))
    values.removeTransferred(to: base)
    return Slot(tag: .object, address: node)
  }

  /// Skips the key at the cursor if it consists of these bytes, which need no escapes. Returns
  /// whether it did.
  @inline(__always)
  private mutating func skipKey(_ key: UnsafeRawBufferPointer) -> Bool {
    guard end - cursor >= key.count + 2,
      cursor.pointee == UInt8(ascii: "\""),
      cursor[key.count + 1] == UInt8(ascii: "\"")
    else { return false }
    if let bytes = key.baseAddress, memcmp(cursor + 1, bytes, key.count) != 0 { return false }
    cursor += key.count + 2
    return true
  }

  @inline(__always)
  private mutating func skipColon() throws(JSONFault) {
    skipSpace()
    if next != UInt8(ascii: ":") { throw fault(.expected("':'"), at: cursor) }
    cursor += 1
    skipSpace()
  }

  /// Reads the separator after a member. Returns true after a comma, and false after the closing
  /// brace.
  @inline(__always)
  private mutating func skipComma() throws(JSONFault) -> Bool {
    skipSpace()
    switch next {
    case UInt8(ascii: ","):
      cursor += 1
      skipSpace()
      return true
    case UInt8(ascii: "}"):
      cursor += 1
      return false
    default: throw fault(.expected("',' or '}'"), at: cursor)
    }
  }
}
