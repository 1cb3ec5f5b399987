import ArgumentParser
import ScriptedStore

/// The option for the initial state.
struct StateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "JSON that overrides the initial state; an object, key by key.", valueName: "json|@file"))
  var state: String?

  /// Parsed here as well as in ``value()``, because ArgumentParser shows the command's usage only
  /// for errors of `validate()`.
  func validate() throws {
    if let state, !state.hasPrefix("@") { _ = try StateOption(state) }
  }

  func value() throws -> Value? { try state.map { try StateOption($0).value } }
}
