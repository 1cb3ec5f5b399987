import ScriptedStore

/// Messages of the library with their codes, which `runner explain` takes. All commands print them
/// in this form.
extension TerminalText {
  /// `warning[unknownAction]: …`, or `error[effectError]: …`.
  init(_ warning: RuntimeWarning) { self = "\(warning.head): \(warning)" }

  /// `error[time]: …`, with the traceback. The usual error, which a script has raised, has no code.
  init(_ error: ScriptError) { self = "\(error.head): \(describe(error))" }
}

extension RuntimeWarning {
  /// What stands before the colon of the message.
  var head: TerminalText { "\(heading)" }
}

extension ScriptError {
  /// What stands before the colon of the message.
  var head: TerminalText { code.map { "error[\($0)]" } ?? "error" }

  /// The code of the error; nil for an error that a script has raised.
  var code: String? { kind == .runtime ? nil : kind.rawValue }
}

extension StandardStreams {
  /// Names the command that explains a message, if a person reads this.
  static func hint(explaining code: String?) {
    guard let code, errorIsTerminal else { return }
    error("note: runner explain \(code) tells more")
  }
}
