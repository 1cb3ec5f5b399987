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
/// Methods and fields take and return what ``LuaVM/function(_:parameters:_:)`` does. A class can be
/// registered in any number of VMs, on any thread; what a method needs of its VM it gets from that.
public struct LuaClass<Object: AnyObject & SendableMetatype>: Sendable {
  /// How Lua holds the objects of a class.
  public enum Holding: Sendable {
    /// An object lives at least as long as scripts hold it.
    case strong
    /// Scripts do not keep an object alive. When the host has released it, its use in a script is an
    /// error that says so.
    case weak
  }

  let name: String
  let holding: Holding
  /// The body of a host function.
  typealias Body = @Sendable (inout HostCall) throws -> Int32
  private(set) var methods: [String: Body] = [:]
  private(set) var getters: [String: Body] = [:]
  private(set) var setters: [String: Body] = [:]
  private(set) var describe: Body?

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
    copy.describe = { [name] call in
      let object = try call.receiver(Object.self, of: name, in: "tostring")
      return try call.finish(text(object))
    }
    return copy
  }
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
    copy.setters[name] = { [type = self.name] call in
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
    copy.getters[name] = { [type = self.name] call in
      let object = try call.receiver(Object.self, of: type, in: name)
      call.releaseDeferred()
      let value = try get(object)
      return try TypedFunction("\(type).\(name)", []).finish(call, value)
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
    adding(name, repeat (each A).self) { typed, object, call in
      let arguments = try typed.arguments(of: &call, repeat (each A).self)
      return try typed.finish(call, try body(object, repeat each arguments))
    }
  }

  /// Adds a method without a result.
  public func method<each A: Decodable & SendableMetatype>(
    _ name: String, _ body: @escaping @Sendable (Object, repeat each A) throws -> Void
  ) -> LuaClass {
    adding(name, repeat (each A).self) { typed, object, call in
      let arguments = try typed.arguments(of: &call, repeat (each A).self)
      try body(object, repeat each arguments)
      return typed.finish(call)
    }
  }

  /// Adds a method that gets the VM, and returns a result.
  public func method<each A: Decodable & SendableMetatype, R: Encodable & SendableMetatype>(
    _ name: String, _ body: @escaping @Sendable (Object, LuaVM, repeat each A) throws -> R
  ) -> LuaClass {
    adding(name, repeat (each A).self) { typed, object, call in
      let arguments = try typed.arguments(of: &call, repeat (each A).self)
      return try typed.finish(call, try body(object, call.vm, repeat each arguments))
    }
  }

  /// Adds a method that gets the VM, without a result.
  public func method<each A: Decodable & SendableMetatype>(
    _ name: String, _ body: @escaping @Sendable (Object, LuaVM, repeat each A) throws -> Void
  ) -> LuaClass {
    adding(name, repeat (each A).self) { typed, object, call in
      let arguments = try typed.arguments(of: &call, repeat (each A).self)
      try body(object, call.vm, repeat each arguments)
      return typed.finish(call)
    }
  }

  private func adding<each A: Decodable & SendableMetatype>(
    _ method: String, _ types: repeat (each A).Type,
    body: @escaping @Sendable (TypedFunction, Object, inout HostCall) throws -> Int32
  ) -> LuaClass {
    var copy = self
    let typed = TypedFunction("\(name):\(method)", [], repeat each types)
    copy.methods[method] = { [name] call in
      try body(typed, try call.receiver(Object.self, of: name, in: method), &call)
    }
    return copy
  }
}
