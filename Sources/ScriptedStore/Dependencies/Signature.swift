import LuaBridge

/// The parameters of a function, as messages about its calls name them.
package struct Signature: Sendable {
  struct Parameter: Sendable {
    let name: String?
    /// The name of the type in messages: Lua's, if Lua has such a type.
    let type: String
    let isOptional: Bool
    /// Whether an argument that is a table may be meant for this parameter.
    let takesTables: Bool
  }

  let parameters: [Parameter]

  /// The parameters of these types. `names` are the names of all parameters in their order, or
  /// empty.
  init<each A>(_ names: [String], _ types: repeat (each A).Type) {
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
      "a dependency's function has \(parameters.count) parameters and \(names.count) names")
    self.parameters = parameters
  }

  /// The name of a type in messages.
  static func name(of type: Any.Type) -> String {
    switch type {
    case is Bool.Type: "boolean"
    case is String.Type: "string"
    case is any FixedWidthInteger.Type: "integer"
    case is any BinaryFloatingPoint.Type: "number"
    case is Value.Type: "value"
    case is [String: Value].Type: "table"
    case is [any Decodable].Type: "list"
    default: "\(type)"
    }
  }

  private static func isScalar(_ type: Any.Type) -> Bool {
    switch type {
    case is Bool.Type, is String.Type, is any FixedWidthInteger.Type,
      is any BinaryFloatingPoint.Type:
      true
    default: false
    }
  }
}

// MARK: Calls

extension Signature {
  /// The arguments in the order of the parameters, one for each. Throws if there is no parameter
  /// for an argument. The types are checked later, by the decoding.
  func arrange(_ arguments: [Value?], of function: String) throws(ScriptError) -> [Value?] {
    if let named = try named(arguments, of: function) { return named }
    let given = arguments.lastIndex { $0 != nil }.map { $0 + 1 } ?? 0
    guard given <= parameters.count else {
      throw ScriptError(
        "bad argument #\(parameters.count + 1) to '\(function)' (it takes "
          + (parameters.isEmpty ? "none" : "\(parameters.count) at most")
          + ", got \(given))")
    }
    return parameters.indices.map { $0 < given ? arguments[$0] : nil }
  }

  /// The arguments of a call with one table of named arguments; nil if this is another call.
  private func named(
    _ arguments: [Value?], of function: String
  ) throws(ScriptError) -> [Value?]? {
    let names = parameters.compactMap(\.name)
    guard arguments.count == 1, case .some(let only) = arguments[0], let table = only.object,
      let first = parameters.first, names.count == parameters.count
    else { return nil }
    if first.takesTables, table.isEmpty || !table.keys.allSatisfy(names.contains) { return nil }
    for name in table.keys where !names.contains(name) {
      let nearest = Suggestion.nearest(to: name, in: names)
      throw ScriptError(
        "'\(function)' has no argument '\(name)'"
          + (nearest.map { "; did you mean '\($0)'?" }
            ?? "; it takes \(names.joined(separator: ", "))"))
    }
    return names.map { table[$0] }
  }

  /// The error about an argument, in Lua's words.
  func describe(_ error: ArgumentError, _ arguments: [Value?], of function: String) -> ScriptError {
    problem(reason(error, arguments), at: error.position, function)
  }

  /// The error for an argument that is no value of state.
  func refusal(of argument: LuaValue, at position: Int, _ function: String) -> ScriptError {
    let expected = position < parameters.count ? parameters[position].type : "nothing"
    return problem("\(expected) expected, got \(argument.typeName)", at: position, function)
  }

  private func problem(_ reason: String, at position: Int, _ function: String) -> ScriptError {
    let name = position < parameters.count ? parameters[position].name : nil
    return ScriptError(
      "bad argument #\(position + 1)\(name.map { " '\($0)'" } ?? "") to '\(function)' (\(reason))")
  }

  private func reason(_ error: ArgumentError, _ arguments: [Value?]) -> String {
    let parameter = parameters[error.position]
    guard case .mismatch(let mismatch) = error.reason, let argument = arguments[error.position]
    else { return "\(parameter.type) expected, got no value" }
    switch mismatch {
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      let expected = Signature.name(of: type)
      return at(context.codingPath, argument) { found in
        "\(expected) expected, got \(LuaValue(found).typeName)"
      }
    case .keyNotFound(let key, let context):
      return at(context.codingPath, argument) { _ in "the key '\(key.stringValue)' is missing" }
    case .dataCorrupted(let context):
      return at(context.codingPath, argument) { found in
        if case .float(let number) = found, number != number.rounded() {
          return "number has no integer representation"
        }
        return context.debugDescription
      }
    @unknown default: return "\(mismatch)"
    }
  }

  /// A problem and its path inside the argument, with indices from 1 as in Lua.
  private func at(
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
