import ArgumentParser
import LuaBridge
import Platform
import RunnerShared
import ScriptValue
import ScriptedStore
import Synchronization

/// The argument of `--format` of run and replay.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json

  /// The format without an option: text on a terminal, and JSON elsewhere.
  static var usual: ReportFormat { StandardStreams.outputIsTerminal ? .text : .json }
}

/// Prints a run: each action with its state change, warnings and errors. Several threads use it: those
/// that run effects, and the one that reads the input.
final class Report: Sendable {
  private struct Content {
    var output = DescriptorWriter(STDOUT_FILENO)
    var hasErrors = false
    /// The code of the first message that has one.
    var firstCode: String?
    /// The state after the last printed action; nil before ``Report/begin(with:)``.
    var state: Value?
    var isClosed = false

    mutating func print(_ bytes: [UInt8]) {
      if !isClosed { output.write(bytes) }
    }
  }

  private let content = Mutex(Content())
  private let form: any ReportForm
  private let failFast: Bool
  /// The number of input actions that are reduced.
  private let reducedInputs = Atomic<Int>(0)

  /// - Parameter failFast: whether the first error ends the run.
  init(format: ReportFormat, failFast: Bool) {
    self.failFast = failFast
    form =
      switch format {
      case .json: JSONReport()
      case .text: TextReport(style: .output)
      }
  }

  /// - Parameter state: that of the store, unless an action was printed already.
  func begin(with state: Value) { content.withLock { $0.state = $0.state ?? state } }

  func add(_ record: ActionRecord) {
    change { content in
      guard !content.isClosed else { return }
      content.state = record.after
      content.print(form.bytes(of: record))
      if let error = record.error {
        content.hasErrors = true
        StandardStreams.error(TerminalText(error, of: record))
        content.firstCode = content.firstCode ?? error.code
      }
    }
    if record.source == .input {
      reducedInputs.wrappingAdd(1, ordering: .sequentiallyConsistent)
      Interruption.wake()
    }
  }

  func add(_ warning: RuntimeWarning) {
    change { content in
      content.firstCode = content.firstCode ?? warning.kind.rawValue
      guard !warning.isInActionRecord else { return }
      switch warning.kind {
      // Of the initial state.
      case .duplicateID: StandardStreams.error(TerminalText(warning))
      case .effectError:
        content.hasErrors = true
        content.print(form.bytes(of: warning))
        StandardStreams.error(TerminalText(effectError: warning))
      default:
        content.print(form.bytes(of: warning))
        if let effect = warning.effectText {
          StandardStreams.error(TerminalText(warning) + "\n\(effect)")
        }
      }
    }
  }

  /// Waits until `count` input actions are reduced. Other threads may reduce them.
  func waitForReducedActions(_ count: Int) {
    Interruption.wait { reducedInputs.load(ordering: .sequentiallyConsistent) >= count }
  }

  /// Prints the effects in flight with the alarms that are set, and the state, as requested. All later output is dropped.
  func close(rest: ([EffectDescription], [AlarmDescription])?, printsState: Bool) {
    content.withLock { content in
      if let (effects, alarms) = rest { content.print(form.bytes(ofEffects: effects, alarms)) }
      if printsState { content.print(form.bytes(ofState: content.state ?? .null)) }
      content.isClosed = true
    }
  }

  private func change(_ body: (inout Content) -> Void) {
    let isOver = content.withLock { content in
      body(&content)
      return content.output.failure != nil || (failFast && content.hasErrors)
    }
    if isOver { Interruption.request() }
  }

  var hasErrors: Bool { content.withLock { $0.hasErrors } }

  /// The code of the first message that has one.
  var firstCode: String? { content.withLock { $0.firstCode } }

  /// Prints the reason why output failed, and returns the exit status for it; nil if there is none.
  func reportFailure() -> ExitCode? { content.withLock { $0.output }.reportFailure() }
}

/// How the parts of a run are printed.
private protocol ReportForm: Sendable {
  func bytes(of record: ActionRecord) -> [UInt8]
  /// A warning that is not part of an action's record.
  func bytes(of warning: RuntimeWarning) -> [UInt8]
  func bytes(ofEffects effects: [EffectDescription], _ alarms: [AlarmDescription]) -> [UInt8]
  func bytes(ofState state: Value) -> [UInt8]
}

/// For people: the action's path and payload, and the state change in Lua syntax.
private struct TextReport: ReportForm {
  let style: TextStyle

  func bytes(of record: ActionRecord) -> [UInt8] {
    var text = style.title(
      record.action, record.source, of: record.feature, in: record.transaction)
    text += "\n\(change(record))\n"
    for warning in record.warnings { text += style.yellow("  " + TerminalText(warning)) + "\n" }
    return text.bytes
  }

  func bytes(of warning: RuntimeWarning) -> [UInt8] {
    guard warning.kind == .effectError else {
      return (style.yellow(TerminalText(warning)) + "\n").bytes
    }
    // The error message goes to standard error.
    let feature = warning.effect?.feature.map { " of \($0)" } ?? ""
    let place = style.dim("  -- \(ScriptPaths.inMessage(warning.origin))")
    let text: TerminalText = "\(style.red("an effect\(feature) failed"))\(place)\n"
    return text.bytes
  }

  func bytes(ofEffects effects: [EffectDescription], _ alarms: [AlarmDescription]) -> [UInt8] {
    var text =
      style.bold("effects") + (effects.isEmpty ? style.dim("  -- none in flight") : "") + "\n"
    for effect in effects { text += "  \(effect)\n" }
    if !alarms.isEmpty { text += style.bold("alarms") + "\n" }
    for alarm in alarms { text += "  \(alarm)\n" }
    return text.bytes
  }

  func bytes(ofState state: Value) -> [UInt8] {
    let text: TerminalText = "\(style.bold("state")) \(state)\n"
    return text.bytes
  }

  private func change(_ record: ActionRecord) -> TerminalText {
    // The error message goes to standard error.
    guard record.error == nil else { return style.red("  raised, rolled back") }
    return TerminalText(from: record.before, to: record.after, style)
      ?? style.dim("  -- nothing changed")
  }
}

/// One object a line.
private struct JSONReport: ReportForm {
  func bytes(of record: ActionRecord) -> [UInt8] {
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

  func bytes(of warning: RuntimeWarning) -> [UInt8] {
    var object: Value.Object = [
      "warning": .string(warning.displayed), "kind": .string(warning.kind.rawValue),
      "origin": .string(ScriptPaths.inMessage(warning.origin)),
    ]
    object["action"] = warning.action.map { .string($0) }
    object["effect"] = warning.effect.map(value)
    return TerminalJSON.line(.object(object))
  }

  func bytes(ofEffects effects: [EffectDescription], _ alarms: [AlarmDescription]) -> [UInt8] {
    var object: Value.Object = ["effects": .array(Value.List(effects.map(value)))]
    if !alarms.isEmpty { object["alarms"] = .array(Value.List(alarms.map(value))) }
    return TerminalJSON.line(.object(object))
  }

  func bytes(ofState state: Value) -> [UInt8] { TerminalJSON.line(["state": state]) }

  private func value(_ alarm: AlarmDescription) -> Value {
    var object: Value.Object = [:]
    object["feature"] = alarm.feature.map { .string($0) }
    object["id"] = alarm.id
    object["action"] = alarm.action.value
    object["place"] = .string(alarm.place)
    object["seconds"] = .float(alarm.left / .seconds(1))
    return .object(object)
  }

  private func value(_ effect: EffectDescription) -> Value {
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
}

extension [UInt8] {
  fileprivate mutating func append(_ text: String) { append(contentsOf: text.utf8) }

  /// Appends a further field to an object.
  fileprivate mutating func append(_ key: String, _ value: Value) {
    append(",\"\(key)\":")
    value.appendJSON(to: &self)
  }
}
