// The module ScriptValue: `Value`, which states, actions and payloads are made of, and the persistent
// trees behind it. It knows nothing of Lua.
//
// Users need no import of their own for it: `import ScriptedStore` and `import LuaBridge` include it.
// It is a module so that the compiler keeps values free of the VM.
//
// LuaBridge and ScriptedStore read the trees in hot paths. A type of Tree/ whose members they inline
// is `@usableFromInline package`, and these members are `@inlinable`: without both, Swift calls the
// members across the border of the module. A member that is only called needs neither.

/// A JSON value: a state, an action, or a payload. Unlike plain JSON, it has Lua's two kinds of
/// number.
///
/// Arrays and objects are immutable trees that share structure. Copying a value is O(1) for any
/// size. Changing a copy copies only the nodes on the path to the change. Any thread may read a
/// value.
///
/// Equality follows Lua:
/// - `1 == 1.0`. The comparison is exact, also beyond 2^53.
/// - Objects are equal if they have the same keys and values in any order.
/// - All empty containers are equal, `.array([]) == .object([:])`, because a Lua `{}` is both.
///
/// Two things cannot be state:
/// - NaN and the infinities. A container stores ``null`` instead, as JavaScript's `JSON.stringify`
///   does. Reading JSON text or a `Codable` value that contains one throws an error.
/// - More than 128 nested containers; the outermost one counts as 1. Decoding such a value throws,
///   and so does using it as a state or an action. An array or object that is built in Swift may be
///   slightly deeper; beyond 144 levels, building it is a precondition failure. ``depth`` returns
///   the number of levels.
public enum Value: Sendable {
  /// JSON's `null`, and `scripted.null` in Lua. It is a value like any other.
  case null
  case boolean(Bool)
  /// A number of Lua's integer subtype.
  case integer(Int64)
  /// A number of Lua's float subtype. `1.0` is a float.
  case float(Double)
  case string(String)
  case array(List)
  case object(Object)
}

// MARK: Slots

extension Value {
  /// Creates the value of a borrowed slot (+0); the value retains what it needs. An absent slot
  /// becomes null. O(1), or O(length) for a string.
  package init(borrowing slot: Slot) {
    switch slot.tag {
    case .absent, .null: self = .null
    case .boolean: self = .boolean(slot.boolean)
    case .integer: self = .integer(slot.integer)
    case .float: self = .float(slot.float)
    case .string: self = .string(slot.text)
    case .object, .dictionary: self = .object(Object(storage: ObjectTree(borrowing: slot)))
    case .empty where slot.emptyKind.isObject:
      self = .object(Object(storage: ObjectTree(borrowing: slot)))
    case .list, .empty: self = .array(List(storage: PersistentList(borrowing: slot)))
    }
  }

  /// Creates the value of an owned slot (+1) and consumes the slot's reference.
  package init(owning slot: Slot) {
    self.init(borrowing: slot)
    slot.release()
  }

  /// Returns the value as an owned slot (+1). A number that is not finite becomes null. O(1), or
  /// O(length) for a string.
  @usableFromInline
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

  /// Calls `body` with the value as a slot (+0), which is valid during the call.
  @inlinable
  package func withSlot<R, E: Error>(_ body: (Slot) throws(E) -> R) throws(E) -> R {
    let slot = ownedSlot()
    defer { slot.release() }
    return try body(slot)
  }

  /// Returns an owned slot (+1) that the caller puts into one more container.
  ///
  /// Values from outside have at most ``maximumDepth`` levels. Only a program that nests values in
  /// a loop reaches this limit.
  func ownedElementSlot() -> Slot {
    precondition(
      depth < maximumWrappedDepth,
      "values nest at most \(maximumWrappedDepth) deep; check `depth` before")
    return ownedSlot()
  }

  /// The number of nested containers: 0 for a scalar, 1 for an array of scalars.
  ///
  /// O(1), except for a value that has, or once had, 128 levels or more; then O(n).
  public var depth: Int {
    let bound: Int
    switch self {
    case .null, .boolean, .integer, .float, .string: return 0
    case .array(let list): bound = list.storage.borrowedSlot.depth
    case .object(let object): bound = object.storage.borrowedSlot.depth
    }
    return bound < maximumDepth ? bound : withSlot { $0.exactDepth() }
  }
}

// MARK: Equality

extension Value: Hashable {
  /// Deep equality with Lua's rules. It skips nodes that both sides share, so that comparing two
  /// versions of one state costs only what changed.
  public static func == (a: Value, b: Value) -> Bool {
    switch (a, b) {
    case (.null, .null): return true
    case (.boolean(let x), .boolean(let y)): return x == y
    case (.integer(let x), .integer(let y)): return x == y
    case (.float(let x), .float(let y)): return x == y
    case (.integer(let x), .float(let y)), (.float(let y), .integer(let x)):
      return Slot.equal(x, y)
    case (.string(let x), .string(let y)): return TextKey(x) == TextKey(y)
    case (.array(let x), .array(let y)): return x == y
    case (.object(let x), .object(let y)): return x == y
    case (.array(let list), .object(let object)), (.object(let object), .array(let list)):
      return list.isEmpty && object.isEmpty
    default: return false
    }
  }

  /// Hashes consistently with `==`. O(n).
  public func hash(into hasher: inout Hasher) {
    // The string's slot has the same hash; this avoids allocating the slot.
    if case .string(let text) = self { return TextKey(text).hash(into: &hasher) }
    withSlot { $0.hash(into: &hasher) }
  }
}

// MARK: Typed access

extension Value {
  public var isNull: Bool {
    if case .null = self { return true }
    return false
  }

  /// The boolean, or nil if the value is not a boolean.
  public var bool: Bool? {
    if case .boolean(let value) = self { return value }
    return nil
  }

  /// The number as an `Int`: an integer, or a float with an integral value. Nil if the value is not
  /// a number or does not fit.
  public var int: Int? {
    switch self {
    case .integer(let value): return Int(exactly: value)
    case .float(let value): return Int(exactly: value)
    default: return nil
    }
  }

  /// The number as a `Double`, or nil if the value is not a number. An integer beyond 2^53 is
  /// rounded.
  public var double: Double? {
    switch self {
    case .integer(let value): return Double(value)
    case .float(let value): return value
    default: return nil
    }
  }

  /// The text, or nil if the value is not a string.
  public var string: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  /// The elements of an array. An object without keys counts as an empty array. Nil for any other
  /// value.
  public var array: List? {
    switch self {
    case .array(let list): return list
    case .object(let object): return object.isEmpty ? List() : nil
    default: return nil
    }
  }

  /// The keys and values of an object. An array without elements counts as an empty object. Nil for
  /// any other value.
  public var object: Object? {
    switch self {
    case .object(let object): return object
    case .array(let list): return list.isEmpty ? Object() : nil
    default: return nil
    }
  }
}

extension Value: CustomStringConvertible, CustomDebugStringConvertible {
  /// The value in Lua syntax on one line: `{ id = 1, title = "Milk" }`, `{ 1, 2.0, null }`. O(n).
  public var description: String {
    var text = ""
    withSlot { LuaLiteral.append($0, to: &text) }
    return text
  }

  /// Same as ``description``.
  public var debugDescription: String { description }
}

extension Value.List: CustomStringConvertible, CustomDebugStringConvertible {
  /// The list in Lua syntax on one line. O(n).
  public var description: String { Value.array(self).description }

  /// Same as ``description``.
  public var debugDescription: String { description }
}

extension Value.Object: CustomStringConvertible, CustomDebugStringConvertible {
  /// The object in Lua syntax on one line. O(n).
  public var description: String { Value.object(self).description }

  /// Same as ``description``.
  public var debugDescription: String { description }
}

extension Value: ExpressibleByNilLiteral {
  public init(nilLiteral: ()) { self = .null }
}

extension Value: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension Value: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension Value: ExpressibleByFloatLiteral {
  /// A literal beyond the range of `Double` is infinite, which cannot be state. That is a
  /// precondition failure.
  public init(floatLiteral value: Double) {
    precondition(value.isFinite, "NaN and infinities cannot be state")
    self = .float(value)
  }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self = .string(value) }
}

extension Value: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: Value...) { self = .array(List(elements)) }
}

extension Value: ExpressibleByDictionaryLiteral {
  /// The object has the order of the literal. If a key occurs twice, the last value is used.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self = .object(Object(elements.lazy.map { (key: $0.0, value: $0.1) }))
  }
}

/// Conversions from variables, where literals do not apply. For `Encodable` types use
/// ``Value/init(encoding:)``.
extension Value {
  public init(_ number: Int) { self = .integer(Int64(number)) }
  public init(_ flag: Bool) { self = .boolean(flag) }
  public init(_ text: String) { self = .string(text) }
}
