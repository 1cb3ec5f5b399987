import ScriptValue

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
