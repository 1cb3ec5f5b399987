import ScriptValue

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The parameters of a function, as messages about its calls name them.
package struct Signature: Sendable {
  package struct Parameter: Sendable {
    package let name: String?
    /// The name of the type in messages: Lua's, if Lua has such a type.
    package let type: String
    package let isOptional: Bool
    /// Whether an argument that is a table may be meant for this parameter.
    let takesTables: Bool
  }

  package let parameters: [Parameter]

  /// The parameters of these types. `names` are the names of all parameters in their order, or
  /// empty.
  package init<each A>(_ names: [String], _ types: repeat (each A).Type) {
    var parameters: [Parameter] = []
    for type in repeat each types {
      let name = parameters.count < names.count ? names[parameters.count] : nil
      let wrapped = (type as? any OptionalType.Type)?.wrapped
      let plain: Any.Type = wrapped ?? type
      parameters.append(
        Parameter(
          name: name, type: Signature.name(of: plain), isOptional: wrapped != nil,
          takesTables: !Signature.isScalar(plain)))
    }
    precondition(
      names.isEmpty || names.count == parameters.count,
      "a function has \(parameters.count) parameters and \(names.count) names")
    self.parameters = parameters
  }

  /// The name of a type in messages.
  static func name(of type: Any.Type) -> String {
    switch type {
    case let passed as any LuaPassed.Type: passed.luaName
    case is Bool.Type: "boolean"
    case is String.Type, is URL.Type, is Data.Type: "string"
    case is any FixedWidthInteger.Type: "integer"
    case is any BinaryFloatingPoint.Type, is Date.Type, is Duration.Type: "number"
    case is Value.Type: "value"
    case is [String: Value].Type: "table"
    case is [any Decodable].Type: "list"
    default: "\(type)"
    }
  }

  private static func isScalar(_ type: Any.Type) -> Bool {
    switch type {
    case is Bool.Type, is String.Type, is any FixedWidthInteger.Type,
      is any BinaryFloatingPoint.Type, is Date.Type, is Duration.Type, is URL.Type, is Data.Type:
      true
    default: false
    }
  }
}

// MARK: Calls

extension Signature {
  /// The arguments in the order of the parameters, one for each. Throws if there is no parameter
  /// for an argument. The types are checked later, by the decoding.
  package func arrange(
    _ arguments: [HostValue?], of function: String
  ) throws(ScriptError) -> [HostValue?] {
    if let named = try named(arguments, of: function) { return named }
    let given = arguments.lastIndex { $0 != nil }.map { $0 + 1 } ?? 0
    try checkCount(given, of: function)
    return parameters.indices.map { $0 < given ? arguments[$0] : nil }
  }

  /// Throws if there is no parameter for the last one of `given` arguments.
  func checkCount(_ given: Int, of function: String) throws(ScriptError) {
    guard given > parameters.count else { return }
    throw ScriptError(
      "bad argument #\(parameters.count + 1) to '\(function)' (it takes "
        + (parameters.isEmpty ? "none" : "\(parameters.count) at most")
        + ", got \(given))")
  }

  /// Whether the parameters have names.
  var hasNames: Bool { parameters.first?.name != nil }

  /// The arguments of a call with one table of named arguments; nil if this is another call.
  func named(
    _ arguments: [HostValue?], of function: String
  ) throws(ScriptError) -> [HostValue?]? {
    let names = parameters.compactMap(\.name)
    guard arguments.count == 1, case .state(let only)? = arguments[0], let table = only.object,
      let first = parameters.first, names.count == parameters.count
    else { return nil }
    let unknown = table.keys.first { key in !names.contains { TextKey($0) == TextKey(key) } }
    if first.takesTables, table.isEmpty || unknown != nil { return nil }
    if let unknown {
      throw ScriptError(
        "'\(function)' has no argument '\(unknown)'"
          + Suggestion.hint(for: unknown, in: names, otherwise: "it takes"))
    }
    return names.map { table[$0].map { .state($0) } }
  }
}

// Calls of functions whose arguments and results are values of state.
extension Signature {
  /// The arguments that a script gave, in the order of the parameters.
  package func arguments(
    _ lua: [LuaValue], of function: String
  ) throws(ScriptError) -> [HostValue?] {
    var values: [HostValue?] = []
    for (position, argument) in lua.enumerated() {
      if let value = HostValue(argument) {
        values.append(value)
      } else if argument.isNil {
        values.append(nil)
      } else {
        throw refusal(of: argument, at: position, function)
      }
    }
    return try arrange(values, of: function)
  }

  /// Calls `body`. An error about an argument or about the result is thrown as a message in Lua's
  /// words.
  package func call<R>(_ function: String, _ body: () throws -> R) throws -> R {
    do { return try body() } catch { throw described(error, of: function) }
  }

  /// Calls an asynchronous `body`, with the same errors.
  package func call<R>(_ function: String, _ body: () async throws -> R) async throws -> R {
    do { return try await body() } catch { throw described(error, of: function) }
  }

  /// An error about an argument or about the result, as a message in Lua's words; any other error
  /// as it is.
  func described(_ error: any Error, of function: String) -> any Error {
    switch error {
    case let error as ArgumentError: describe(error, of: function)
    case EncodingError.invalidValue(let value, let context):
      ScriptError("bad result of '\(function)' (\(value)): \(context.debugDescription)")
    default: error
    }
  }

  /// The result as Lua gets it: nil for an optional without a value.
  package static func result<R: Encodable>(_ result: R) throws -> HostValue? {
    if let value = result as? Value { return .state(value) }
    if let optional = result as? any OptionalType, optional.content == nil { return nil }
    if let data = result as? Data { return HostValue(data.withUnsafeBytes { LuaValue(bytes: $0) }) }
    return .state(try Value(encoding: result))
  }
}

extension Signature {
  /// The error about an argument, in Lua's words.
  func describe(_ error: ArgumentError, of function: String) -> ScriptError {
    problem(reason(error), at: error.position, function)
  }

  /// The error about a result of a function that Swift has called, or about another value that
  /// Swift has asked for. These types are the expected ones.
  func describe(_ error: ArgumentError, from what: String) -> ScriptError {
    let number = parameters.count > 1 ? " #\(error.position + 1)" : ""
    return ScriptError("bad \(what)\(number) (\(reason(error)))")
  }

  /// The error for an argument that is no value of state.
  func refusal(of argument: LuaValue, at position: Int, _ function: String) -> ScriptError {
    let expected = position < parameters.count ? parameters[position].type : "nothing"
    let found = argument.typeName
    // A parameter such as a `LuaFunction`, in a function that takes only values.
    let reason =
      expected == found ? "a \(found) cannot be passed here" : "\(expected) expected, got \(found)"
    return problem(reason, at: position, function)
  }

  private func problem(_ reason: String, at position: Int, _ function: String) -> ScriptError {
    let name = position < parameters.count ? parameters[position].name : nil
    return ScriptError(
      "bad argument #\(position + 1)\(name.map { " '\($0)'" } ?? "") to '\(function)' (\(reason))")
  }

  private func reason(_ error: ArgumentError) -> String {
    let expected = parameters[error.position].type
    switch error.reason {
    case .absent: return "\(expected) expected, got no value"
    case .unsuited(let type): return "\(expected) expected, got \(type)"
    case .unstorable(let reason): return reason
    case .notText:
      return expected == "string" || expected == Signature.name(of: Value.self)
        ? "UTF-8 expected, got a string of other bytes, which only the type Data takes"
        : "\(expected) expected, got string"
    case .mismatch(let mismatch, let value): return Signature.reason(mismatch, value)
    }
  }

  /// Why `value` cannot be decoded.
  static func reason(_ mismatch: DecodingError, _ value: Value) -> String {
    switch mismatch {
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      let expected = name(of: type)
      return at(context.codingPath, value) { found in
        "\(expected) expected, got \(LuaValue(found).typeName)"
      }
    case .keyNotFound(let key, let context):
      return at(context.codingPath, value) { _ in "the key '\(key.stringValue)' is missing" }
    case .dataCorrupted(let context):
      return at(context.codingPath, value) { found in
        if case .float(let number) = found, number != number.rounded() {
          return "number has no integer representation"
        }
        return context.debugDescription
      }
    @unknown default: return "\(mismatch)"
    }
  }

  /// A problem and its path inside the argument, with indices from 1 as in Lua.
  private static func at(
    _ path: [any CodingKey], _ argument: Value, _ problem: (Value) -> String
  ) -> String {
    var place = ""
    var value = argument
    for key in path {
      if let index = key.intValue, case .array(let list) = value, index < list.count {
        place += "[\(index + 1)]"
        value = list[index]
      } else {
        place += place.isEmpty ? key.stringValue : ".\(key.stringValue)"
        value = value.object?[key.stringValue] ?? .null
      }
    }
    return place.isEmpty ? problem(value) : "at \(place): \(problem(value))"
  }
}
