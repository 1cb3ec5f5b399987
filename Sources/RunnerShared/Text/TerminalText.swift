import LuaBridge
import ScriptChecks
import ScriptValue
import ScriptView
import ScriptedStore

/// Text for people, safe to print on their terminal.
///
/// 1. A string literal in this program is trusted. It may contain escape sequences, such as
///    colours.
/// 2. Every other text comes from scripts, files or the system and is not trusted. Its control
///    characters are escaped, except line breaks and tabs.
/// 3. Only a literal, or a private initializer for text that is already escaped, avoids the
///    escaping.
package struct TerminalText: Sendable, Hashable {
  /// The escaped text.
  package private(set) var text: String

  /// Escapes text that is not trusted.
  package init(_ foreign: some StringProtocol) { text = VisibleText.text(of: String(foreign)) }

  fileprivate init(escaped text: String) { self.text = text }

  package var isEmpty: Bool { text.isEmpty }
  package var bytes: [UInt8] { Array(text.utf8) }

  package static func + (left: TerminalText, right: TerminalText) -> TerminalText {
    TerminalText(escaped: left.text + right.text)
  }

  package static func += (left: inout TerminalText, right: TerminalText) { left.text += right.text }

  /// Indents each line. Empty lines stay empty.
  package func indented(by count: Int) -> TerminalText {
    TerminalText(escaped: RunnerShared.indented(text, by: count))
  }

  /// The lines without their line breaks.
  package var lines: [TerminalText] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { TerminalText(escaped: String($0)) }
  }
}

extension TerminalText: ExpressibleByStringInterpolation {
  package init(stringLiteral literal: String) { text = literal }
  package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity)
    }

    package mutating func appendLiteral(_ literal: String) { text += literal }

    package mutating func appendInterpolation(_ part: TerminalText) { text += part.text }

    package mutating func appendInterpolation(_ message: some ScriptMessage) {
      text += VisibleText.text(of: message.displayed)
    }

    package mutating func appendInterpolation(_ foreign: some CustomStringConvertible) {
      text += VisibleText.text(of: foreign.description)
    }
  }
}

extension DefaultStringInterpolation {
  /// Text in a plain string counts as untrusted and loses its colours. The deprecation makes this
  /// an error, since warnings are errors in this package.
  @available(
    *, deprecated, message: "write it into a TerminalText; a String would have its colours escaped"
  )
  mutating func appendInterpolation(_ text: TerminalText) { appendInterpolation(text.text) }
}

extension Sequence<TerminalText> {
  package func joined(separator: TerminalText = "") -> TerminalText {
    TerminalText(escaped: map(\.text).joined(separator: separator.text))
  }
}

extension TerminalText {
  /// The difference of two values; nil if they are equal.
  package init?(from old: Value, to new: Value, _ style: TextStyle) {
    // `LuaDiff` writes strings and keys as Lua literals, so they are already escaped.
    guard let text = LuaDiff(isColored: style.takesColor).text(from: old, to: new) else {
      return nil
    }
    self.init(escaped: text)
  }
}

/// Messages of the library with their codes, which `runner explain` takes. All commands print them
/// in this form.
extension TerminalText {
  /// `warning[unknownAction]: …`, or `error[effectError]: …`.
  package init(_ warning: RuntimeWarning) { self = "\(warning.head): \(warning)" }

  /// `warning[dropped-result]: scripts/app.lua:5: …`: a finding in the text of a script, whose path is the
  /// script's name.
  package init(warning finding: Finding) {
    let place = "\(ScriptPaths.path(of: finding.path)):\(finding.line)"
    let remedy = finding.remedy.map { "; \($0)" } ?? ""
    self = "warning[\(finding.code.rawValue)]: \(place): \(finding.message)\(remedy)"
  }

  /// `error[time]: …`, with the traceback. The usual error, which a script has raised, has no code.
  package init(_ error: ScriptError) { self = "\(error.head): \(describe(error))" }
}

extension RuntimeWarning {
  /// What stands before the colon of the message.
  package var head: TerminalText { "\(heading)" }
}

extension ScriptError {
  /// What stands before the colon of the message.
  package var head: TerminalText { code.map { "error[\($0)]" } ?? "error" }

  /// The code of the error; nil for an error that a script has raised.
  package var code: String? { kind == .runtime ? nil : kind.rawValue }
}

extension StandardStreams {
  /// Names the command that explains a message, if a person reads this.
  package static func hint(explaining code: String?) {
    guard let code, errorIsTerminal else { return }
    error("note: runner explain \(code) tells more")
  }
}

/// What standard error has about failures.
extension TerminalText {
  /// The error that an action raised.
  package init(_ error: ScriptError, of record: ActionRecord) {
    let feature = error.feature.map { " of \($0)" } ?? ""
    self = """
      \(TerminalText(error))
      in action \(record.number)\(feature): \(record.action.value.json())
      """
  }

  /// The error that an effect raised.
  package init(effectError warning: RuntimeWarning) {
    let traceback = warning.traceback.map(ScriptPaths.inMessage)
    let lines = [warning.displayed, traceback, warning.effectText].compactMap(\.self)
    self = "\(warning.head): \(lines.joined(separator: "\n"))"
  }

  /// The error that a view raised, without the `error: ` in front.
  package init(_ failure: ViewFailure) {
    let place = failure.location.map { ScriptPaths.inMessage($0 + ":") + " " } ?? ""
    let traceback = failure.traceback.map(ScriptPaths.inMessage)
    let lines = [place + ScriptPaths.inMessage(failure.message), traceback].compactMap(\.self)
    self = "\(lines.joined(separator: "\n"))"
  }
}

extension TerminalText {
  /// The number and action of the entry, the errors if they differ, and the difference of the
  /// states in Lua syntax.
  package init(of difference: ReplayDifference, _ style: TextStyle) {
    self.init(ScriptPaths.inMessage(difference.heading))
    if let states = TerminalText(from: difference.expected, to: difference.actual, style) {
      self += "\n\n\(states)"
    }
  }
}
