/// How scripts see the objects of a Swift class: by methods and fields.
///
/// ```swift
/// let counters = LuaClass<Counter>("Counter")
///   .method("add") { (counter, n: Int) in counter.value += n }
///   .field("value", \.value)
///   .readOnly("name", \.name)
/// try lua.register(counters)
/// try lua.setGlobal("counter", to: LuaObject(counter))
/// ```
///
/// In Lua: `counter:add(2)`, `counter.value = 5`. An object is a userdata, of which there is one as
/// long as Lua holds it: `==` and keys of tables go by identity. `tostring` gives `Counter: 1`, or
/// what ``description(_:)`` says. A misspelt name is an error with the nearest name. Scripts can
/// reach neither the metatable nor its finalizer.
///
/// Methods and fields take and return what `LuaVM.function` does. A class can be
/// registered in any number of VMs, on any thread; what a method needs of its VM it gets from that.
public struct LuaClass<Object: AnyObject & SendableMetatype>: Sendable {
  /// How Lua holds the objects of a class.
  public enum Holding: Sendable {
    /// An object lives at least as long as scripts hold it.
    case strong
    /// Scripts do not keep an object alive. When the host has released it, its use in a script is
    /// an error that says so.
    case weak
  }

  let name: String
  let holding: Holding
  private(set) var methods: [String: Member] = [:]
  private(set) var getters: [String: Member] = [:]
  private(set) var setters: [String: Member] = [:]
  private(set) var describe: Member?

  /// - Parameters:
  ///   - name: the name of the class in messages.
  ///   - holding: how Lua holds the objects.
  public init(_ name: String, holding: Holding = .strong) {
    self.name = name
    self.holding = holding
  }

  /// Adds what `tostring` and `print` show of an object.
  public func description(_ text: @escaping @Sendable (Object) -> String) -> LuaClass {
    var copy = self
    copy.describe = Member(nil) { [name] call in
      let object = try call.receiver(Object.self, of: name, in: "tostring")
      return call.finish([.string(text(object))])
    }
    return copy
  }
}

/// The function behind a member of a class.
struct Member: Sendable {
  let typed: TypedFunction?
  let body: @Sendable (inout HostCall) throws -> Int32

  init(_ typed: TypedFunction?, _ body: @escaping @Sendable (inout HostCall) throws -> Int32) {
    self.typed = typed
    self.body = body
  }

  /// A function for one VM.
  func function() -> HostFunction { HostFunction(typed, body) }
}

// MARK: Fields

extension LuaClass {
  /// Adds a field that scripts read and write.
  public func field<T: Codable & SendableMetatype>(
    _ name: String, _ path: ReferenceWritableKeyPath<Object, T> & Sendable
  ) -> LuaClass {
    field(name) {
      $0[keyPath: path]
    } set: {
      $0[keyPath: path] = $1
    }
  }

  /// Adds a field that scripts read and write through closures.
  public func field<T: Codable & SendableMetatype>(
    _ name: String, get: @escaping @Sendable (Object) throws -> T,
    set: @escaping @Sendable (Object, T) throws -> Void
  ) -> LuaClass {
    var copy = readOnly(name, get)
    copy.setters[name] = Member(nil) { [type = self.name] call in
      let object = try call.receiver(Object.self, of: type, in: name)
      let value = try LuaConversion.value(
        call.next(), as: T.self, from: "value of field '\(name)' of \(type)")
      call.releaseDeferred()
      try set(object, value)
      return call.finish([])
    }
    return copy
  }

  /// Adds a field that scripts can only read.
  public func readOnly<T: Encodable & SendableMetatype>(
    _ name: String, _ path: KeyPath<Object, T> & Sendable
  ) -> LuaClass {
    readOnly(name) { $0[keyPath: path] }
  }

  /// Adds a field that scripts can only read, through a closure.
  public func readOnly<T: Encodable & SendableMetatype>(
    _ name: String, _ get: @escaping @Sendable (Object) throws -> T
  ) -> LuaClass {
    var copy = self
    copy.getters[name] = Member(TypedFunction("\(self.name).\(name)", [])) {
      [type = self.name] call in
      let object = try call.receiver(Object.self, of: type, in: name)
      return try call.finish(typed: try get(object))
    }
    return copy
  }
}

// MARK: Methods

extension LuaClass {
  /// Adds a method that returns a result.
  public func method<each A: Decodable & SendableMetatype, R: Encodable & SendableMetatype>(
    _ name: String, _ body: @escaping @Sendable (Object, repeat each A) throws -> R
  ) -> LuaClass {
    adding(name, repeat (each A).self) { object, call in
      let result = try body(object, repeat try call.argument((each A).self))
      return try call.finish(typed: result)
    }
  }

  /// Adds a method without a result.
  public func method<each A: Decodable & SendableMetatype>(
    _ name: String, _ body: @escaping @Sendable (Object, repeat each A) throws -> Void
  ) -> LuaClass {
    adding(name, repeat (each A).self) { object, call in
      try body(object, repeat try call.argument((each A).self))
      return call.finishTyped()
    }
  }

  /// Adds a method that gets the VM, and returns a result.
  public func method<each A: Decodable & SendableMetatype, R: Encodable & SendableMetatype>(
    _ name: String, _ body: @escaping @Sendable (Object, LuaVM, repeat each A) throws -> R
  ) -> LuaClass {
    adding(name, repeat (each A).self) { object, call in
      let lua = call.vm
      let result = try body(object, lua, repeat try call.argument((each A).self))
      return try call.finish(typed: result)
    }
  }

  /// Adds a method that gets the VM, without a result.
  public func method<each A: Decodable & SendableMetatype>(
    _ name: String, _ body: @escaping @Sendable (Object, LuaVM, repeat each A) throws -> Void
  ) -> LuaClass {
    adding(name, repeat (each A).self) { object, call in
      let lua = call.vm
      try body(object, lua, repeat try call.argument((each A).self))
      return call.finishTyped()
    }
  }

  private func adding<each A: Decodable & SendableMetatype>(
    _ method: String, _ types: repeat (each A).Type,
    body: @escaping @Sendable (Object, inout HostCall) throws -> Int32
  ) -> LuaClass {
    var copy = self
    let typed = TypedFunction("\(name):\(method)", [], repeat each types)
    copy.methods[method] = Member(typed) { [name] call in
      let object = try call.receiver(Object.self, of: name, in: method)
      try typed.begin(&call)
      return try body(object, &call)
    }
    return copy
  }
}

/// A Swift object as a parameter, result or field: what Lua holds is a userdata.
///
/// ```swift
/// try lua.setGlobal("counter", to: LuaObject(counter))
/// let sum = try lua.function("sum") { (a: LuaObject<Counter>, b: LuaObject<Counter>) in
///   a.object.value + b.object.value
/// }
/// ```
///
/// An object of a class that the VM knows has its methods and fields (``LuaVM/register(_:)``). Any
/// other one is opaque to scripts, and gets a new userdata each time that it is passed.
public struct LuaObject<Object: AnyObject>: Codable, LuaPassed {
  public let object: Object

  public init(_ object: Object) { self.object = object }

  /// Always throws. An object can only be a parameter or result itself.
  public init(from decoder: any Decoder) throws {
    throw LuaReference.undecodable(decoder.codingPath)
  }

  /// Always throws, as ``init(from:)``.
  public func encode(to encoder: any Encoder) throws {
    throw LuaReference.unencodable(object, "object", encoder.codingPath)
  }

  static func passed(_ value: LuaValue) -> LuaObject? {
    value.object(as: Object.self).map(LuaObject.init)
  }
  static var luaName: String { "\(Object.self)" }
  var luaValue: LuaValue { .object(object) }
}

extension LuaValue {
  /// The Swift object, if the value is one of that class.
  public func object<Object: AnyObject>(as type: Object.Type) -> Object? {
    if case .object(let object) = self { object as? Object } else { nil }
  }
}
