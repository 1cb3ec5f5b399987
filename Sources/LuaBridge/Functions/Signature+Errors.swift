import ScriptValue

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
