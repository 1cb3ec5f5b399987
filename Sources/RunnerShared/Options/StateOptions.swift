import ArgumentParser
import ScriptValue
import ScriptedStore

/// The option for the initial state: JSON, or `@` and the path of a JSON file.
package struct StateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "JSON that overrides the initial state; an object, key by key.", valueName: "json|@file"))
  package var state: String?

  package init() {}

  /// Parses JSON here as well as in ``value()``, because ArgumentParser shows the command's usage
  /// only for errors of `validate()`.
  package func validate() throws {
    if let state, !state.hasPrefix("@") { _ = try value() }
  }

  package func value() throws -> Value? {
    guard let state else { return nil }
    if state.hasPrefix("@") { return try Self.value(of: InputFile(String(state.dropFirst()))) }
    let value: Value
    do {
      value = try Value(json: state)
    } catch {
      throw ValidationError("--state is not JSON: \(error.message) at column \(error.column)")
    }
    guard Self.isState(value) else {
      throw ValidationError("--state takes an object, not \(value)")
    }
    return value
  }

  private static func value(of file: InputFile) throws -> Value {
    let value: Value
    do {
      value = try Value(json: file.bytes())
    } catch let error as JSONError {
      throw fail(.dataError, "\(file.name):\(error)")
    }
    guard isState(value) else { throw fail(.dataError, "\(file.name): \(value) is not a state") }
    return value
  }

  private static func isState(_ value: Value) -> Bool {
    switch value {
    case .object, .array: true
    default: false
    }
  }
}
