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
    if first.takesTables, table.isEmpty || !table.keys.allSatisfy(names.contains) { return nil }
    for name in table.keys where !names.contains(name) {
      throw ScriptError(
        "'\(function)' has no argument '\(name)'"
          + Suggestion.hint(for: name, in: names, otherwise: "it takes"))
    }
    return names.map { table[$0].map { .state($0) } }
  }
}
