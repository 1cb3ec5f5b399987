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
    let file = state.hasPrefix("@") ? try InputFile(String(state.dropFirst()), of: "--state") : nil
    do {
      let value = try file.map { try Value(json: $0.bytes()) } ?? Value(json: state)
      switch value {
      case .object, .array: return value
      default:
        if let file { throw fail(.dataError, "\(file.name): \(value) is not a state") }
        throw ValidationError("--state takes an object, not \(value)")
      }
    } catch let error as JSONError {
      if let file { throw fail(.dataError, "\(file.name):\(error)") }
      throw ValidationError("--state is not JSON: \(error.message) at column \(error.column)")
    }
  }
}
