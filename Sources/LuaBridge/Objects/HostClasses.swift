import CLua
import ScriptValue

/// The classes of the host that a VM knows.
///
/// Invariant: a metatable that was made is never released, because boxes in Lua may have it. So the
/// registry references here have no owner that releases them.
struct HostClasses {
  struct Entry {
    let name: String
    let isWeak: Bool
    /// The registry reference of the metatable.
    let metatable: Int32
    let type: ObjectIdentifier
    let matches: (AnyObject) -> Bool
  }

  private var entries: [Entry] = []
  /// The entry of each class of an object that was passed: its own, or that of a superclass.
  private var found: [ObjectIdentifier: Entry?] = [:]
  /// The holder of each object that scripts hold weakly.
  let holders = WeakHolders()

  /// Adds a class, and replaces the one that was added for the same type.
  mutating func add(_ entry: Entry) {
    entries.removeAll { $0.type == entry.type }
    entries.append(entry)
    found = [:]
  }

  /// The class of an object; of several, the one that was added last. Nil if the VM knows none.
  mutating func entry(for object: AnyObject) -> Entry? {
    let type = ObjectIdentifier(type(of: object))
    if let entry = found[type] { return entry }
    let entry = entries.last { $0.type == type } ?? entries.last { $0.matches(object) }
    found[type] = .some(entry)
    return entry
  }
}

extension LuaVM {
  /// Gives scripts the methods and fields of a class: objects of it, and of its subclasses, that
  /// are passed to Lua from now on have them. A class that is registered again replaces the former
  /// one for objects that Lua does not hold yet.
  ///
  /// - Throws: if there is no memory.
  public func register<Object: AnyObject>(_ description: LuaClass<Object>) throws(ScriptError) {
    let name = description.name
    let (readable, writable) = (
      Set(description.methods.keys).union(description.getters.keys), description.setters
    )
    let unreadable = HostFunction { call in
      try call.next()
      throw unknown(try call.next(), of: name, in: readable)
    }
    let unwritable = HostFunction { call in
      try call.next()
      let key = try call.next()
      guard let member = key.string, readable.contains(member) else {
        throw unknown(key, of: name, in: Set(writable.keys))
      }
      throw ScriptError("'\(member)' of \(name) cannot be changed")
    }
    let tables = try (
      members(description.methods, of: name), members(description.getters, of: name),
      members(description.setters, of: name)
    )
    let errors = try (
      makeFunction(name, body: unreadable), makeFunction(name, body: unwritable)
    )
    let describe: LuaFunction? =
      if let member = description.describe {
        try makeFunction("tostring", body: member.function())
      } else {
        nil
      }
    var members = sl_class_members(
      methods: tables.0.slot, getters: tables.1.slot, setters: tables.2.slot,
      unreadable: errors.0.slot, unwritable: errors.1.slot,
      description: describe?.slot ?? LUA_NOREF)
    let isWeak = description.holding == .weak
    let metatable = try reference { sl_new_class(core, name, isWeak, &members, &$0) }
    classes.add(
      HostClasses.Entry(
        name: name, isWeak: isWeak, metatable: metatable, type: ObjectIdentifier(Object.self),
        matches: { $0 is Object }))
  }

  /// A table of functions.
  private func members(
    _ members: [String: Member], of type: String
  ) throws(ScriptError) -> LuaTable {
    let table = try makeTable()
    for (name, member) in members.sorted(by: { $0.key < $1.key }) {
      let function = try makeFunction("\(type).\(name)", body: member.function())
      try table.set(.string(name), to: .function(function))
    }
    return table
  }
}

/// The error about a member that a class does not have.
private func unknown(_ key: LuaValue, of type: String, in known: Set<String>) -> ScriptError {
  guard let name = key.string else { return ScriptError("\(type) has no field [\(key)]") }
  let hint =
    known.isEmpty
    ? "" : Suggestion.hint(for: name, in: known.sorted(), otherwise: "it has")
  return ScriptError("\(type) has no field '\(name)'\(hint)")
}

extension HostCall {
  /// Reads the object that a method or field belongs to.
  mutating func receiver<Object: AnyObject>(
    _ type: Object.Type, of name: String, in member: String
  ) throws(ScriptError) -> Object {
    var found = "no value"
    if let object = try nextObject() {
      // Comparing types takes a fraction of the time of a cast.
      if Swift.type(of: object) == Object.self { return unsafeDowncast(object, to: Object.self) }
      if let object = object as? Object { return object }
      found = "userdata"
    } else if count > 0 {
      found = try next().typeName
    }
    releaseRest()
    throw ScriptError(
      "'\(member)' of \(name) needs a \(name) in front, got \(found); call it with a colon, as "
        + "object:\(member)(…)")
  }
}

/// What Lua holds of an object that it holds weakly.
final class WeakHolder {
  private(set) weak var object: AnyObject?
  /// The name of the class, for the message about an object that is gone.
  let type: String
  private let key: ObjectIdentifier
  private let holders: WeakHolders

  fileprivate init(_ object: AnyObject, of type: String, in holders: WeakHolders) {
    self.object = object
    self.type = type
    self.holders = holders
    key = ObjectIdentifier(object)
  }

  deinit { holders.forget(key) }
}

/// The holders of objects that Lua holds weakly. An object has one as long as Lua holds it, so that
/// it has one userdata. Used only by the thread that uses the VM.
final class WeakHolders {
  private struct Reference {
    weak var holder: WeakHolder?
  }

  private var references: [ObjectIdentifier: Reference] = [:]

  /// The holder of an object. O(1).
  func holder(of object: AnyObject, _ type: String) -> WeakHolder {
    let key = ObjectIdentifier(object)
    // A new object may have the address of one that is gone, whose holder Lua still holds.
    if let holder = references[key]?.holder, holder.object === object { return holder }
    let holder = WeakHolder(object, of: type, in: self)
    references[key] = Reference(holder: holder)
    return holder
  }

  /// Forgets a holder that is being deallocated, unless the object's address has a new one.
  fileprivate func forget(_ key: ObjectIdentifier) {
    if let reference = references[key], reference.holder == nil { references[key] = nil }
  }
}
