/// A value as a tag and eight bytes: an immediate scalar, or a reference to a node.
///
/// A slot is a trivial type and retains nothing by itself. Each function documents the ownership of
/// the slots that it takes and returns:
/// - Borrowed (+0): the slot is valid while another reference keeps the node alive.
/// - Owned (+1): the receiver must store the slot or call ``release()``.
@usableFromInline
package struct Slot: Sendable {
  @usableFromInline package var tag: Tag
  @usableFromInline package var bits: UInt64

  @inlinable @inline(__always)
  package init(tag: Tag, bits: UInt64) {
    self.tag = tag
    self.bits = bits
  }

  /// Creates a slot for a node. The slot is owned (+1) if the address is.
  @inlinable @inline(__always)
  package init(tag: Tag, address: NodeAddress) {
    self.tag = tag
    self.bits = UInt64(UInt(bitPattern: address))
  }

  // Computed, so that other modules see constants instead of the address of a global variable.
  @inlinable @inline(__always)
  package static var absent: Slot { Slot(tag: .absent, bits: 0) }
  @inlinable @inline(__always)
  package static var null: Slot { Slot(tag: .null, bits: 0) }

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

  /// Returns an owned slot (+1), which has its own reference to `node`.
  @inlinable @inline(__always)
  package static func owning(_ node: StringNode) -> Slot {
    Slot(tag: .string, address: Unmanaged.passRetained(node).toOpaque())
  }

  /// Creates a string node (+1). The caller guarantees that the bytes are valid UTF-8.
  @inlinable @inline(__always)
  package static func string(trustedUTF8 bytes: UnsafeRawBufferPointer) -> Slot {
    Slot(tag: .string, address: StringNode.allocate(trustedUTF8: bytes))
  }

  /// Creates a string node (+1).
  package static func string(_ text: String) -> Slot {
    text.withUTF8Bytes { string(trustedUTF8: $0) }
  }

  @inlinable @inline(__always) package var isAbsent: Bool { tag == .absent }
  @inlinable @inline(__always) package var boolean: Bool { bits != 0 }
  @inlinable @inline(__always) package var integer: Int64 { Int64(bitPattern: bits) }
  @inlinable @inline(__always) package var float: Double { Double(bitPattern: bits) }
  @inlinable @inline(__always) package var emptyKind: EmptyKind {
    EmptyKind(rawValue: bits) ?? .table
  }

  /// Whether the value is a list, an object, a dictionary or an empty container.
  @inlinable @inline(__always)
  package var isContainer: Bool { tag.rawValue >= Tag.list.rawValue }

  /// Whether the bits are the address of a reference-counted node.
  @inlinable @inline(__always)
  package var isReference: Bool { tag.rawValue >= Tag.string.rawValue && tag != .empty }

  /// The node's address (+0). The slot must be a reference.
  @inlinable @inline(__always)
  package var address: NodeAddress {
    assert(isReference)
    // Proof: every initializer of a reference slot gets a node's address, which is never 0.
    return NodeAddress(bitPattern: UInt(bits)).unsafelyUnwrapped
  }

  /// The bytes of a string slot. They are valid while the node is alive.
  @inlinable @inline(__always)
  package var stringBytes: UnsafeRawBufferPointer {
    assert(tag == .string)
    return StringNode.bytes(of: address)
  }

  /// Adds a reference to the node, if there is one. Turns a borrowed slot (+0) into an owned one
  /// (+1).
  @inlinable @inline(__always)
  package func retain() {
    if isReference { Node.retain(address) }
  }

  /// Releases a reference to the node, if there is one. The caller gives up an owned slot (+1).
  @inlinable @inline(__always)
  package func release() {
    if isReference { Node.release(address) }
  }

  /// Returns an owned copy (+1) of a borrowed slot (+0).
  @inlinable @inline(__always)
  package func retained() -> Slot {
    retain()
    return self
  }

  /// Whether both slots have the same scalar bits or the same node. If false, the values may still
  /// be equal.
  @inlinable @inline(__always)
  package func isIdentical(to other: Slot) -> Bool { tag == other.tag && bits == other.bits }
}

/// The meaning of the eight bytes of a ``Slot``.
///
/// C has the same raw values (`SL_TAG_…` in values.h): never renumber them.
@usableFromInline
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

  /// Compares raw values, so that every comparison compiles to one integer comparison.
  @inlinable @inline(__always)
  package static func == (a: Tag, b: Tag) -> Bool { a.rawValue == b.rawValue }
}

/// The kind of the container without elements in an ``Tag/empty`` slot. Containers of all kinds are
/// equal.
@usableFromInline
package enum EmptyKind: UInt64, Sendable {
  /// A plain `{}`. Scripts may make it a list or an object by their first write. Encodes as `[]`.
  case table = 0
  /// Decoded from `{}`, or an object that lost its last key. Scripts may make it a list or an
  /// object by their first write. Encodes as `{}`.
  case formerObject = 1
  /// Made by `scripted.array {}`. Takes elements only. Encodes as `[]`.
  case pinnedArray = 2
  /// Made by `scripted.object {}`. Takes keys only. Encodes as `{}`.
  case pinnedObject = 3

  /// Whether the container encodes as `{}`.
  package var isObject: Bool { self == .formerObject || self == .pinnedObject }
}
