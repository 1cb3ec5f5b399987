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
