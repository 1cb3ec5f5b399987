import ScriptValue

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A type that is passed between Swift and Lua as it is, rather than encoded and decoded.
protocol LuaPassed {
  /// Nil if `value` is something else.
  static func passed(_ value: LuaValue) -> Self?
  /// The name of the type in messages.
  static var luaName: String { get }
  var luaValue: LuaValue { get }
}

/// Converts values of typed functions and calls.
enum LuaConversion {
  /// The argument at `position` (from 0) as a `type`. Throws an ``ArgumentError``, or a
  /// ``ScriptError`` if scripts are being stopped.
  static func argument<A: Decodable>(
    _ value: LuaValue, as type: A.Type, at position: Int
  ) throws -> A {
    if let passed = try passed(value, as: type, at: position) { return passed }
    switch value {
    case .nil: return try Arguments.decode(nil, as: type, at: position)
    case .bytes(let bytes): return try Arguments.decode(bytes, as: type, at: position)
    case .table(let table):
      return try Arguments.decode(try state(of: table, at: position), as: type, at: position)
    default:
      // A number that is not finite is no value of state.
      if case .float(let number) = value, let double = number as? A { return double }
      guard let state = Value(value) else {
        throw ArgumentError(position: position, reason: .unsuited(value.typeName))
      }
      return try Arguments.decode(state, as: type, at: position)
    }
  }

  private static func state(of table: LuaTable, at position: Int) throws -> Value {
    do throws(ScriptError) {
      return try table.value(named: "value")
    } catch {
      guard error.kind == .runtime else { throw error }
      throw ArgumentError(position: position, reason: .unstorable(error.message))
    }
  }

  /// The argument, if `type` is one that is passed as it is. Throws if the argument is another one.
  private static func passed<A>(
    _ value: LuaValue, as type: A.Type, at position: Int
  ) throws -> A? {
    let optional = type as? any OptionalType.Type
    guard let wrapped = (optional?.wrapped ?? type) as? any LuaPassed.Type else { return nil }
    if value.isNil, let optional { return optional.nothing as? A }
    guard let passed = wrapped.passed(value) else {
      let reason =
        value.isNil ? ArgumentError.Reason.absent : .unsuited(value.typeName)
      throw ArgumentError(position: position, reason: reason)
    }
    return passed as? A ?? optional?.wrap(passed) as? A
  }

  /// The value that Swift has asked for. `what` names it in messages.
  static func value<T: Decodable>(
    _ value: LuaValue, as type: T.Type, from what: String
  ) throws(ScriptError) -> T {
    do {
      return try argument(value, as: type, at: 0)
    } catch {
      throw failure(error, Signature([], type), what)
    }
  }

  /// The same for several values. Those too many are dropped.
  static func values<each R: Decodable>(
    _ values: [LuaValue], as types: repeat (each R).Type, from what: String
  ) throws(ScriptError) -> (repeat each R) {
    var position = -1
    func next<T: Decodable>(_ type: T.Type) throws -> T {
      position += 1
      let value = position < values.count ? values[position] : .nil
      return try argument(value, as: type, at: position)
    }
    do {
      return (repeat try next(each types))
    } catch {
      throw failure(error, Signature([], repeat each types), what)
    }
  }

  private static func failure(
    _ error: any Error, _ expected: @autoclosure () -> Signature, _ what: String
  ) -> ScriptError {
    switch error {
    case let error as ArgumentError: expected().describe(error, from: what)
    case let error as ScriptError: error
    default: ScriptError(String(describing: error), cause: error)
    }
  }

  /// The Lua value for a Swift value that the host passes.
  static func value<T: Encodable>(passing value: T) throws(ScriptError) -> LuaValue {
    do {
      return try self.value(of: value)
    } catch EncodingError.invalidValue(let part, let context) {
      throw ScriptError("\(part) cannot be passed to Lua: \(context.debugDescription)")
    } catch {
      throw ScriptError("\(T.self) cannot be passed to Lua: \(error)", cause: error)
    }
  }

  /// The same for several values.
  static func values<each A: Encodable>(
    passing values: repeat each A
  ) throws(ScriptError) -> [LuaValue] {
    var passed: [LuaValue] = []
    for value in repeat each values { passed.append(try self.value(passing: value)) }
    return passed
  }

  /// What a function gives to Lua for its result: as many values as there are in ``LuaResults``,
  /// else one.
  static func results<R: Encodable>(_ result: R) throws -> [LuaValue] {
    if let results = result as? LuaResults { return results.values }
    return [try value(of: result)]
  }

  /// The Lua value for a Swift value: nil for an optional without a value.
  static func value<R: Encodable>(of result: R) throws -> LuaValue {
    switch result {
    case let passed as any LuaPassed: return passed.luaValue
    case let text as String: return .string(text)
    case let number as Int: return .integer(Int64(number))
    // A number that is not finite is no value of state.
    case let number as Double: return .float(number)
    case let value as Value: return LuaValue(value)
    case let data as Data: return data.withUnsafeBytes { LuaValue(bytes: $0) }
    default: break
    }
    if let optional = result as? any OptionalType {
      guard let content = optional.content as? any Encodable else { return .nil }
      return try value(of: content)
    }
    return LuaValue(try Value(encoding: result))
  }
}
