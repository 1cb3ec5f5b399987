import LuaBridge

extension Signature {
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
