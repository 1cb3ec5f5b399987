import LuaBridge

/// What happened: a table with a string `type` and payload fields. If its field `action` holds such
/// a table too, that is the nested action: a child's, or one of a feature's own group.
public struct Action: Sendable, Hashable {
  /// A class, so that passing an action on costs one reference count.
  private final class Storage: Sendable {
    let value: Value
    /// The value's table, borrowed (+0); absent if the value is no object, or a malformed literal.
    let slot: Slot
    let flaw: ActionError?

    init(_ value: Value, _ flaw: ActionError? = nil) {
      self.value = value
      self.flaw = flaw
      slot =
        if flaw == nil, case .object(let object) = value {
          object.storage.borrowedSlot
        } else {
          .absent
        }
    }
  }

  private let storage: Storage

  /// Always an object with a string `type`.
  public var value: Value { storage.value }

  /// The action's table, borrowed (+0); absent for a malformed literal. It is valid as long as this
  /// action.
  @inline(__always)
  var slot: Slot { storage.slot }

  /// Creates an action from its table form. Throws if the form is wrong or nests too deep.
  /// O(nesting).
  public init(_ value: Value) throws(ActionError) {
    try Action.check(value, nested: "")
    guard value.depth <= maximumDepth else {
      throw ActionError(tooDeep: value["type"].string ?? "")
    }
    storage = Storage(value)
  }

  /// Creates an action from its path form: `"todos[3].toggle"`. The fields of an object become
  /// fields of the innermost action. Any other payload becomes its field `value`.
  public init(path: String, payload: Value? = nil) throws(ActionError) {
    storage = Storage(try ActionPath(path).action(payload: payload))
  }

  /// Creates an action from what a script gave: its table, or its path and an optional payload.
  init(fromScript what: Value?, payload: Value?) throws(ActionError) {
    switch what {
    case .string(let path)?: try self.init(path: path, payload: payload)
    case .object?, .array?:
      guard payload == nil else {
        throw ActionError("a payload goes with a path; put the fields into the action's table")
      }
      if case .array(let list)? = what, let path = list.first?.string {
        let payload = list.count > 1 ? ", \(list[1])" : ""
        throw ActionError(
          "an action is a table with a type, not a list; write the path and its payload as two arguments: "
            + "send(\"\(path)\"\(payload))")
      }
      try self.init(what ?? .null)
    default:
      throw ActionError(
        "an action is a table with a type, or a path, not "
          + (what.map { LuaValue($0).typeNameWithArticle } ?? "nil"))
    }
  }

  /// Creates an action from an `Encodable` that encodes as an action's table, or as a path string.
  public init(encoding action: some Encodable) throws {
    switch try ValueEncoder().encode(action) {
    case .string(let path): try self.init(path: path)
    case let value: try self.init(value)
    }
  }

  /// Creates an action without checks, from a value that the store has made of checked actions.
  init(trusted value: Value) { storage = Storage(value) }

  private init(malformed literal: String, _ flaw: ActionError) {
    storage = Storage(["type": .string(literal)], flaw)
  }

  public static func == (a: Action, b: Action) -> Bool {
    a.value == b.value && a.storage.flaw == b.storage.flaw
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(value) }

  private static func check(_ value: Value, nested place: String) throws(ActionError) {
    guard let object = value.object else {
      throw ActionError("\(place)an action is a table with a type, not \(value)")
    }
    guard case .string(let type)? = object["type"] else {
      throw ActionError("\(place)the action \(value) has no type (a string is needed)")
    }
    guard !type.isEmpty else { throw ActionError("\(place)the type of an action is empty") }
    if let child = object["action"], case .object = child {
      try check(child, nested: "\(place)in \(type): ")
    }
  }
}

extension Action: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
  /// The action of a path: `store.send("addTodoButtonTapped")`.
  ///
  /// A literal throws nothing. An action that is made of a malformed one changes nothing when it is
  /// sent: its error, which names the literal, is reported as that of a handler, to the host's
  /// `onError`. Use ``init(path:payload:)`` for text that is not source code.
  public init(stringLiteral path: String) {
    do throws(ActionError) {
      try self.init(path: path)
    } catch {
      self.init(malformed: path, error)
    }
  }

  /// The action of a table: `store.send(["type": "rename", "title": "Milk"])`. A malformed one is as
  /// that of a path.
  public init(dictionaryLiteral fields: (String, Value)...) {
    let value = Value.object(Value.Object(fields.lazy.map { (key: $0.0, value: $0.1) }))
    do throws(ActionError) {
      try self.init(value)
    } catch {
      self.init(malformed: "\(value)", error)
    }
  }

  /// Why the literal that the action was made of is none; nil for all other actions.
  var flaw: ScriptError? { storage.flaw.map { ScriptError($0.message) } }
}

extension Action {
  /// The nested types from the root as a path: `todos[3].toggle`. The path of a binding ends with
  /// its key.
  public var path: String {
    withExtendedLifetime(storage) {
      guard !slot.isAbsent else { return value["type"].string ?? "" }
      var current = slot
      var text = current.field("type").text
      while case let nested = current.field("action"), nested.isObject {
        if let id = Value(ifPresent: current.field("id")), id.string != nil || id.double != nil {
          text += "[\(ActionPath.text(of: id))]"
        }
        current = nested
        text += "." + current.field("type").text
      }
      guard current.field("type").isText("binding") else { return text }
      let key = current.field("key")
      return key.tag == .string ? "\(text).\(key.text)" : text
    }
  }

  /// The fields of the innermost action, without its type.
  public var payload: Value.Object {
    var innermost = value
    while case .object(let object) = innermost, let child = object["action"], case .object = child {
      innermost = child
    }
    guard case .object(var object) = innermost else { return [:] }
    object["type"] = nil
    return object
  }
}

extension Action: CustomStringConvertible {
  /// The path and, if there is one, the payload in Lua syntax.
  public var description: String {
    let payload = payload
    return payload.isEmpty ? path : "\(path) \(payload)"
  }
}

/// An action at one level of the reducer tree.
struct ActionCursor: ~Copyable {
  /// The action's table, borrowed (+0).
  let slot: Slot
  /// The number of the action's type in the domain's ``NameTable``; -1 for an unknown type.
  let type: Int
}

/// The keys that each level of the tree reads from an action's table. Each key remembers its
/// position in 64 shapes; with 8, the shapes of different actions collided.
struct ActionKeys: ~Copyable {
  let type = FieldKey("type", sizeBits: 6)
  let id = FieldKey("id", sizeBits: 6)
  let action = FieldKey("action", sizeBits: 6)
}
