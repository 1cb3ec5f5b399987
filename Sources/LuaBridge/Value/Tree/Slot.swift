/// What the eight bytes of a ``Slot`` mean.
///
/// The raw values are shared with the C trampolines: never renumber them.
package enum Tag: UInt8, Sendable {
  case absent = 0
  case null = 1
  case boolean = 2
  case integer = 3
  case float = 4
  case string = 5
  case list = 6
  case object = 7
  case empty = 8
  case dictionary = 9

  /// By raw value, so that a comparison is one everywhere.
  @inlinable @inline(__always)
  package static func == (a: Tag, b: Tag) -> Bool { a.rawValue == b.rawValue }
}

/// Which of the containers without elements an ``Tag/empty`` slot is. All of them are equal.
package enum EmptyKind: UInt64, Sendable {
  /// A plain `{}`: either kind may be written first; encodes as `[]`.
  case table = 0
  /// Decoded from `{}`, or an object that lost its last key: either kind may be written first;
  /// encodes as `{}`.
  case formerObject = 1
  /// `scripted.array {}`: takes elements only; encodes as `[]`.
  case pinnedArray = 2
  /// `scripted.object {}`: takes keys only; encodes as `{}`.
  case pinnedObject = 3

  /// Whether the container encodes as `{}`.
  package var isObject: Bool { self == .formerObject || self == .pinnedObject }
}

/// The address of a reference-counted node, without ownership of its own.
package typealias NodeAddress = UnsafeMutableRawPointer

/// One value as a tag and eight bytes.
///
/// A slot is trivial and owns nothing: each function says whether the slot that it takes or
/// returns is borrowed (+0: valid while something else keeps the node) or owned (+1: somebody has
/// to store it or call ``release()``).
package struct Slot: Sendable {
  package var tag: Tag
  package var bits: UInt64

  @inlinable @inline(__always)
  package init(tag: Tag, bits: UInt64) {
    self.tag = tag
    self.bits = bits
  }

  /// A slot for a node; owned if the caller owns the address.
  @inlinable @inline(__always)
  package init(tag: Tag, address: NodeAddress) {
    self.tag = tag
    self.bits = UInt64(UInt(bitPattern: address))
  }

  package static let absent = Slot(tag: .absent, bits: 0)
  package static let null = Slot(tag: .null, bits: 0)

  @inlinable @inline(__always)
  package static func boolean(_ value: Bool) -> Slot { Slot(tag: .boolean, bits: value ? 1 : 0) }

  @inlinable @inline(__always)
  package static func integer(_ value: Int64) -> Slot {
    Slot(tag: .integer, bits: UInt64(bitPattern: value))
  }

  @inlinable @inline(__always)
  package static func float(_ value: Double) -> Slot { Slot(tag: .float, bits: value.bitPattern) }

  @inlinable @inline(__always)
  package static func empty(_ kind: EmptyKind) -> Slot { Slot(tag: .empty, bits: kind.rawValue) }

  /// An owned slot (+1) that takes a reference of its own to `node`.
  @inlinable @inline(__always)
  package static func owning(_ node: StringNode) -> Slot {
    Slot(tag: .string, address: Unmanaged.passRetained(node).toOpaque())
  }

  /// An owned slot (+1) that takes a reference of its own to `node`.
  @inlinable @inline(__always)
  package static func owning(_ node: ObjectNode) -> Slot {
    Slot(tag: .object, address: Unmanaged.passRetained(node).toOpaque())
  }

  /// A new string node (+1) with these bytes, which the caller knows to be valid UTF-8.
  @inlinable @inline(__always)
  package static func string(trustedUTF8 bytes: UnsafeRawBufferPointer) -> Slot {
    Slot(tag: .string, address: StringNode.allocate(trustedUTF8: bytes))
  }

  /// A new string node (+1).
  package static func string(_ text: String) -> Slot {
    var text = text
    return text.withUTF8 { string(trustedUTF8: UnsafeRawBufferPointer($0)) }
  }

  @inlinable @inline(__always) package var isAbsent: Bool { tag == .absent }
  @inlinable @inline(__always) package var boolean: Bool { bits != 0 }
  @inlinable @inline(__always) package var integer: Int64 { Int64(bitPattern: bits) }
  @inlinable @inline(__always) package var float: Double { Double(bitPattern: bits) }
  @inlinable @inline(__always) package var emptyKind: EmptyKind {
    EmptyKind(rawValue: bits) ?? .table
  }

  /// List, object, dictionary or one of the empties.
  @inlinable @inline(__always)
  package var isContainer: Bool { tag.rawValue >= Tag.list.rawValue }

  /// Whether the bits are the address of a counted node.
  @inlinable @inline(__always)
  package var isReference: Bool { tag.rawValue >= Tag.string.rawValue && tag != .empty }

  /// The node's address (+0); only for slots that are references.
  @inlinable @inline(__always)
  package var address: NodeAddress {
    assert(isReference)
    // Whoever makes a slot with such a tag gives it a node's address, which is never 0.
    return NodeAddress(bitPattern: UInt(bits)).unsafelyUnwrapped
  }

  /// The node of a string slot, as a strong reference of the caller's.
  @inlinable @inline(__always)
  package var stringNode: StringNode {
    assert(tag == .string)
    return Unmanaged<StringNode>.fromOpaque(address).takeUnretainedValue()
  }

  /// The bytes of a string slot; valid while its node lives.
  @inlinable @inline(__always)
  package var stringBytes: UnsafeRawBufferPointer {
    assert(tag == .string)
    return StringNode.bytes(of: address)
  }

  /// Takes one more reference to the node, if there is one: makes a borrowed slot an owned one.
  @inlinable @inline(__always)
  package func retain() {
    if isReference { Node.retain(address) }
  }

  /// Gives up one reference to the node, if there is one: ends an owned slot.
  @inlinable @inline(__always)
  package func release() {
    if isReference { Node.release(address) }
  }

  /// `self`, retained: an owned copy (+1) of a borrowed slot.
  @inlinable @inline(__always)
  package func retained() -> Slot {
    retain()
    return self
  }

  /// Whether both are the same scalar bits or the same node. Says nothing if false.
  @inlinable @inline(__always)
  package func isIdentical(to other: Slot) -> Bool { tag == other.tag && bits == other.bits }

  /// How many containers are nested in this value: 0 for scalars, 1 for a list of scalars. An upper
  /// bound, because it does not shrink when an element goes; ``exactDepth()`` is exact. O(1).
  package var depth: Int {
    switch tag {
    case .absent, .null, .boolean, .integer, .float, .string: return 0
    case .empty: return 1
    case .list: return ListNode.depth(of: address)
    case .object: return ObjectNode.depth(of: address)
    case .dictionary:
      return Unmanaged<DictionaryNode>.fromOpaque(address)._withUnsafeGuaranteedRef {
        Int($0.depth)
      }
    }
  }

  /// Whether the value may stand inside `containers` others. O(1) unless it nests, or once did, about as deep
  /// as is allowed.
  @inline(__always)
  package func fits(below containers: Int) -> Bool {
    !isContainer || containers + depth <= maximumDepth || containers + exactDepth() <= maximumDepth
  }

  /// The exact nesting, by visiting every element of each container once, however often it is held: O(n). For a second
  /// look before refusing a value whose upper bound is beyond the limit.
  package func exactDepth() -> Int {
    var known: [UInt64: Int] = [:]
    return exactDepth(&known)
  }

  private func exactDepth(_ known: inout [UInt64: Int]) -> Int {
    switch tag {
    case .absent, .null, .boolean, .integer, .float, .string: return 0
    case .empty: return 1
    case .list, .object, .dictionary: break
    }
    if let depth = known[bits] { return depth }
    var deepest = 0
    if tag == .list {
      ListNode.visit(address) {
        if $0.isContainer { deepest = max(deepest, $0.exactDepth(&known)) }
      }
    } else if tag == .object {
      for position in 0..<ObjectNode.count(of: address) {
        let child = ObjectNode.slot(of: address, at: position)
        if child.isContainer { deepest = max(deepest, child.exactDepth(&known)) }
      }
    } else {
      ObjectTree(borrowing: self).visit { _, child in
        if child.isContainer { deepest = max(deepest, child.exactDepth(&known)) }
      }
    }
    known[bits] = deepest + 1
    return deepest + 1
  }
}

/// How deep values may nest; the root counts as 1.
package let maximumDepth = 128

/// How deep the values may nest that are made of such values: the line of a recording, a report, an effect's description.
package let wrappedDepth = maximumDepth + 16
