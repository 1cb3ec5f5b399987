import ArgumentParser
import LuaBridge
import ScriptValue
import ScriptedStore
import Synchronization

/// Prints a run: each action with its state change, warnings and errors.
struct Report {
  private let format: ReportFormat
  private let text: TextReport
  private(set) var output = DescriptorWriter(1)
  private(set) var hasErrors = false
  /// The code of the first message that has one.
  private(set) var firstCode: String?
  /// The state after the last printed action.
  private var state = Value.null
  private var isClosed = false

  init(format: ReportFormat) {
    self.format = format
    text = TextReport(takesColor: StandardStreams.outputTakesColor)
  }

  mutating func begin(with state: Value) { self.state = state }

  mutating func add(_ record: ActionRecord) {
    guard !isClosed else { return }
    state = record.after
    print(format == .json ? JSONReport.line(record) : text.text(record).bytes)
    if let error = record.error {
      hasErrors = true
      StandardStreams.error(TerminalText(error, of: record))
      firstCode = firstCode ?? error.code
    }
  }

  mutating func add(_ warning: RuntimeWarning) {
    firstCode = firstCode ?? warning.kind.rawValue
    switch warning.kind {
    case .unknownAction, .malformedAction, .missingElement, .absentChild, .otherCase,
      .duplicateID, .unhandledBinding, .unknownBindingKey:
      // A warning about an action is printed with the action's record. Only a warning about the
      // initial state is printed here.
      if warning.action == nil { StandardStreams.error(TerminalText(warning)) }
    case .notPresented where warning.action != nil: break
    case .effectError:
      hasErrors = true
      print(format == .json ? JSONReport.line(warning) : text.failure(warning).bytes)
      StandardStreams.error(TerminalText(effectError: warning))
    case .sendAfterEnd, .cancellationSwallowed, .memoryFull, .notPresented, .vanishedHandler,
      .lostLocal, .locked, .sharedDefault, .sharedLoop, .sharedState, .sharedStorage:
      print(format == .json ? JSONReport.line(warning) : text.text(warning).bytes)
      if let effect = warning.effectText {
        StandardStreams.error(TerminalText(warning) + "\n\(effect)")
      }
    }
  }

  /// Prints the effects in flight and the state, as requested. All later output is dropped.
  mutating func close(effects: [EffectDescription]?, printsState: Bool) {
    if let effects {
      print(format == .json ? JSONReport.line(effects: effects) : text.text(effects: effects).bytes)
    }
    if printsState {
      print(format == .json ? JSONReport.line(state: state) : text.text(state: state).bytes)
    }
    isClosed = true
  }

  private mutating func print(_ bytes: [UInt8]) {
    if !isClosed { output.write(bytes) }
  }
}

/// A report that several threads use: those that run effects, and the one that reads the input.
final class SharedReport: Sendable {
  private let report: Mutex<Report>
  private let failFast: Bool
  /// The number of input actions that are reduced.
  private let reducedInputs = Atomic<Int>(0)

  /// - Parameter failFast: whether the first error ends the run.
  init(_ report: sending Report, failFast: Bool) {
    self.report = Mutex(report)
    self.failFast = failFast
  }

  func begin(with state: Value) { report.withLock { $0.begin(with: state) } }

  func add(_ record: ActionRecord) {
    change { $0.add(record) }
    if record.source == .input {
      reducedInputs.wrappingAdd(1, ordering: .sequentiallyConsistent)
      Interruption.wake()
    }
  }

  func add(_ warning: RuntimeWarning) { change { $0.add(warning) } }

  /// Waits until `count` input actions are reduced. Other threads may reduce them.
  func waitForReducedActions(_ count: Int) {
    Interruption.wait { reducedInputs.load(ordering: .sequentiallyConsistent) >= count }
  }

  func close(effects: [EffectDescription]?, printsState: Bool) {
    report.withLock { $0.close(effects: effects, printsState: printsState) }
  }

  private func change(_ body: (inout Report) -> Void) {
    let isOver = report.withLock { report in
      body(&report)
      return report.output.failure != nil || (failFast && report.hasErrors)
    }
    if isOver { Interruption.request() }
  }

  var hasErrors: Bool { report.withLock { $0.hasErrors } }

  /// The code of the first message that has one.
  var firstCode: String? { report.withLock { $0.firstCode } }

  /// The reason why output failed; nil if it did not, or if the reader of a pipe closed it.
  var outputFailure: String? { report.withLock { $0.output.failureText } }
}

/// Formats a run for people: the action's path and payload, and the state change in Lua syntax.
struct TextReport {
  private let style: TextStyle

  init(takesColor: Bool) { style = TextStyle(takesColor: takesColor) }

  func text(_ record: ActionRecord) -> TerminalText {
    var text = style.title(
      record.action, record.source, of: record.feature, in: record.transaction)
    text += "\n\(change(record))\n"
    for warning in record.warnings { text += style.yellow("  " + TerminalText(warning)) + "\n" }
    return text
  }

  /// A warning that is not part of an action's record.
  func text(_ warning: RuntimeWarning) -> TerminalText {
    style.yellow(TerminalText(warning)) + "\n"
  }

  /// A failed effect. The error message goes to standard error.
  func failure(_ warning: RuntimeWarning) -> TerminalText {
    let feature = warning.effect?.feature.map { " of \($0)" } ?? ""
    return
      "\(style.red("an effect\(feature) failed"))\(style.dim("  -- \(ScriptPaths.inMessage(warning.origin))"))\n"
  }

  func text(effects: [EffectDescription]) -> TerminalText {
    var text =
      style.bold("effects") + (effects.isEmpty ? style.dim("  -- none in flight") : "") + "\n"
    for effect in effects { text += "  \(effect)\n" }
    return text
  }

  func text(state: Value) -> TerminalText { "\(style.bold("state")) \(state)\n" }

  private func change(_ record: ActionRecord) -> TerminalText {
    // The error message goes to standard error.
    guard record.error == nil else { return style.red("  raised, rolled back") }
    return TerminalText(from: record.before, to: record.after, style)
      ?? style.dim("  -- nothing changed")
  }
}

/// Formats a run as JSON, one object a line.
enum JSONReport {
  static func line(_ record: ActionRecord) -> [UInt8] {
    var line: [UInt8] = []
    line.append(#"{"n":\#(record.number),"source":"\#(record.source)""#)
    if let feature = record.feature { line.append("feature", .string(feature)) }
    line.append("action", record.action.value)
    if let transaction = record.transaction { line.append("transaction", transaction) }
    line.append(#","patch":"#)
    JSONPatch.diff(from: record.before, to: record.after).appendJSON(to: &line)
    line.append("warnings", .array(Value.List(record.warnings.map { .string($0.displayed) })))
    if let error = record.error { line.append("error", .string(error.displayed)) }
    line.append("}\n")
    return TerminalJSON.bytes(line)
  }

  /// A warning that is not part of an action's record.
  static func line(_ warning: RuntimeWarning) -> [UInt8] {
    var object: Value.Object = [
      "warning": .string(warning.displayed), "kind": .string(warning.kind.rawValue),
      "origin": .string(ScriptPaths.inMessage(warning.origin)),
    ]
    object["action"] = warning.action.map { .string($0) }
    object["effect"] = warning.effect.map(value)
    return line(.object(object))
  }

  static func line(effects: [EffectDescription]) -> [UInt8] {
    line(["effects": .array(Value.List(effects.map(value)))])
  }

  static func line(state: Value) -> [UInt8] { line(["state": state]) }

  private static func value(_ effect: EffectDescription) -> Value {
    var object: Value.Object = [:]
    object["feature"] = effect.feature.map { .string($0) }
    object["origin"] = .string(ScriptPaths.inMessage(effect.origin))
    object["id"] = effect.id
    object["action"] = effect.action.map { .string($0) }
    object["place"] = .string(effect.place)
    object["seconds"] = .float(effect.duration / .seconds(1))
    object["waitingOn"] = .string(effect.waitingOn)
    return .object(object)
  }

  private static func line(_ value: Value) -> [UInt8] {
    var line: [UInt8] = []
    value.appendJSON(to: &line)
    line.append("\n")
    return TerminalJSON.bytes(line)
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ text: String) { append(contentsOf: text.utf8) }

  /// Appends a further field to an object.
  fileprivate mutating func append(_ key: String, _ value: Value) {
    append(",\"\(key)\":")
    value.appendJSON(to: &self)
  }
}

/// The argument of `--format` of run and replay.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json

  /// The format without an option: text on a terminal, and JSON elsewhere.
  static var usual: ReportFormat { StandardStreams.outputIsTerminal ? .text : .json }
}
