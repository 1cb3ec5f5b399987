import LuaBridge
import ScriptedStore

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
