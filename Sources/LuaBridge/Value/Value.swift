/// A piece of state, an action or a payload: JSON with Lua's two kinds of number.
///
/// Arrays and objects are immutable trees that share structure: copying a value is O(1) whatever
/// its size, and changing a copy costs the path to the change. A value may be read from any thread.
///
/// Equality follows Lua: `1 == 1.0` (exactly, also beyond 2^53), objects are equal whatever the
/// order of their keys, and all empty containers are equal, `.array([]) == .object([:])`, because a
/// Lua `{}` is both.
///
/// What cannot be state:
/// - NaN and infinities. A container that is given one keeps ``null`` instead, as
///   JavaScript's `JSON.stringify` does; JSON text and `Codable` values that hold one are refused
///   with an error.
/// - More than 128 containers in each other, the outermost counted as 1. Putting a value that deep
///   into another one from Swift is a precondition failure; decoding one throws. ``depth`` tells.
public enum Value: Sendable {
  /// JSON's `null`, `scripted.null` in Lua; a value like any other.
  case null
  case boolean(Bool)
  /// A number without a fraction, 64-bit.
  case integer(Int64)
  /// A number with a fraction, or one that was written with one (`1.0`).
  case float(Double)
  case string(String)
  case array(List)
  case object(Object)
}

// MARK: Slots

extension Value {
  /// The value of a slot (+0; the value takes references of its own). Absent reads as null. O(1), O(length) for a string.
  package init(borrowing slot: Slot) {
    switch slot.tag {
    case .absent, .null: self = .null
    case .boolean: self = .boolean(slot.boolean)
    case .integer: self = .integer(slot.integer)
    case .float: self = .float(slot.float)
    case .string: self = .string(String(decoding: slot.stringBytes, as: UTF8.self))
    case .list: self = .array(List(storage: PersistentList(borrowing: slot)))
    case .object, .dictionary: self = .object(Object(storage: ObjectTree(borrowing: slot)))
    case .empty:
      self =
        slot.emptyKind.isObject
        ? .object(Object(storage: ObjectTree(borrowing: slot)))
        : .array(List(storage: PersistentList(borrowing: slot)))
    }
  }

  /// The value of an owned slot (+1), whose reference it takes over.
  package init(owning slot: Slot) {
    self.init(borrowing: slot)
    slot.release()
  }

  /// The value as an owned slot (+1). Numbers that are not finite become null. O(1), O(length) for a
  /// string.
  package func ownedSlot() -> Slot {
    switch self {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .integer(let value): return .integer(value)
    case .float(let value): return value.isFinite ? .float(value) : .null
    case .string(let text): return .string(text)
    case .array(let list): return list.storage.ownedSlot()
    case .object(let object): return object.storage.ownedSlot()
    }
  }

  /// An owned slot (+1) that fits below one more container. Whatever comes from outside has at most ``maximumDepth``, so
  /// that only a program that puts values into each other by itself comes to the end here.
  func ownedElementSlot() -> Slot {
    precondition(
      depth < wrappedDepth, "values nest at most \(maximumDepth) deep; check `depth` before")
    return ownedSlot()
  }

  /// How many containers are in each other: 0 for a scalar, 1 for an array of scalars. O(1) unless
  /// the value nests, or once did, as deep as is allowed; O(n) then.
  public var depth: Int {
    let bound: Int
    switch self {
    case .null, .boolean, .integer, .float, .string: return 0
    case .array(let list): bound = list.storage.borrowedSlot.depth
    case .object(let object): bound = object.storage.borrowedSlot.depth
    }
    guard bound >= maximumDepth else { return bound }
    let slot = ownedSlot()
    defer { slot.release() }
    return slot.exactDepth()
  }
}

// MARK: Equality

extension Value: Hashable {
  /// Lua's equality, deep. Skips whatever both sides share, so that comparing two versions of one
  /// state costs what changed.
  public static func == (a: Value, b: Value) -> Bool {
    switch (a, b) {
    case (.null, .null): return true
    case (.boolean(let x), .boolean(let y)): return x == y
    case (.integer(let x), .integer(let y)): return x == y
    case (.float(let x), .float(let y)): return x == y
    case (.integer(let x), .float(let y)), (.float(let y), .integer(let x)):
      return Slot.equal(x, y)
    case (.string(let x), .string(let y)):
      // By bytes, as Lua: not up to canonical equivalence.
      var (x, y) = (x, y)
      return x.withUTF8 { x in
        y.withUTF8 { UTF8Text.equals(UnsafeRawBufferPointer(x), UnsafeRawBufferPointer($0)) }
      }
    case (.array(let x), .array(let y)): return x == y
    case (.object(let x), .object(let y)): return x == y
    case (.array(let list), .object(let object)), (.object(let object), .array(let list)):
      return list.isEmpty && object.isEmpty
    default: return false
    }
  }

  /// Agrees with `==`. O(n).
  public func hash(into hasher: inout Hasher) {
    if case .string(var text) = self {
      // As its slot, which would have to be made.
      return text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
    let slot = ownedSlot()
    slot.hash(into: &hasher)
    slot.release()
  }
}

// MARK: Typed access

extension Value {
  /// Whether this is ``null``.
  public var isNull: Bool {
    if case .null = self { return true }
    return false
  }

  /// The boolean, if it is one.
  public var bool: Bool? {
    if case .boolean(let value) = self { return value }
    return nil
  }

  /// The number if it is whole and fits: an integer, or a float with an integer's value.
  public var int: Int? {
    switch self {
    case .integer(let value): return Int(exactly: value)
    case .float(let value): return Int(exactly: value)
    default: return nil
    }
  }

  /// The number, if it is one; an integer beyond 2^53 is rounded.
  public var double: Double? {
    switch self {
    case .integer(let value): return Double(value)
    case .float(let value): return value
    default: return nil
    }
  }

  /// The text, if it is a string.
  public var string: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  /// The elements, if it is an array or an object without keys.
  public var array: List? {
    switch self {
    case .array(let list): return list
    case .object(let object): return object.isEmpty ? List() : nil
    default: return nil
    }
  }

  /// The keys and values, if it is an object or an array without elements.
  public var object: Object? {
    switch self {
    case .object(let object): return object
    case .array(let list): return list.isEmpty ? Object() : nil
    default: return nil
    }
  }
}
