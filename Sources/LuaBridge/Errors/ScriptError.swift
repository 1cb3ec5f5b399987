import CLua
import ScriptValue

/// A failure of a script, or of a call into or out of one.
///
/// It is one reference in size, since every function that throws it reserves room for it.
public struct ScriptError: Error, Sendable {
  private struct Fields {
    var kind: Kind
    var message: String
    var script: String?
    var line: Int?
    var traceback: String?
    var value: Value?
    var cause: (any Error)?
    var exceeded: ExceededLimit?
    var feature: String?
    var isBare = false
  }

  private final class Box: Sendable {
    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }
  }

  private var box: Box

  private var fields: Fields {
    get { box.fields }
    set { box = Box(newValue) }
  }

  public var kind: Kind {
    get { fields.kind }
    set { fields.kind = newValue }
  }
  /// The message, without the position. For an error value that is not a string: its `message` with
  /// its other fields behind it, each cut after 300 characters; without a `message` that value in Lua
  /// syntax, the text that its `__tostring` returns, or the name of its type.
  public var message: String {
    get { fields.message }
    set { fields.message = newValue }
  }
  /// The script of the innermost script function on the stack, by the name with which it was
  /// loaded.
  public var script: String? {
    get { fields.script }
    set { fields.script = newValue }
  }
  /// The line in `script`, 1-based.
  public var line: Int? {
    get { fields.line }
    set { fields.line = newValue }
  }
  /// Lua's own stack traceback, from where the error was raised.
  public var traceback: String? {
    get { fields.traceback }
    set { fields.traceback = newValue }
  }
  /// The error value, if it is not a string but can be stored in state (`error { code = 3 }`).
  public var value: Value? {
    get { fields.value }
    set { fields.value = newValue }
  }
  /// The Swift error that a host function threw, if it ended the script. Nil if the script caught
  /// the error, unless it raised the same message again.
  public var cause: (any Error)? {
    get { fields.cause }
    set { fields.cause = newValue }
  }
  /// The figures of the limit that `kind` names, if scripts were stopped by a limit.
  public var exceeded: ExceededLimit? {
    get { fields.exceeded }
    set { fields.exceeded = newValue }
  }
  /// The feature whose code raised the error, if a store ran it.
  public var feature: String? {
    get { fields.feature }
    set { fields.feature = newValue }
  }

  /// Whether the script raised the message without a position, as `error(text, 0)` does. Then a script
  /// that the error passes on its way catches it without one.
  var isBare: Bool {
    get { fields.isBare }
    set { fields.isBare = newValue }
  }

  public init(
    _ message: String, kind: Kind = .runtime, script: String? = nil, line: Int? = nil,
    traceback: String? = nil, value: Value? = nil, cause: (any Error)? = nil
  ) {
    box = Box(
      Fields(
        kind: kind, message: message, script: script, line: line, traceback: traceback,
        value: value, cause: cause))
  }
}

extension ScriptError {
  /// The kind of failure, for hosts that handle some kinds differently. The raw value is the code
  /// that the runner prints and that `runner explain` takes.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The text does not compile.
    case syntax
    /// The script raised an error, or was given a value that it cannot use.
    case runtime
    /// The VM or one turn exceeded its memory limit, or the machine is out of memory.
    case memory
    /// The turn exceeded ``LuaLimits/time``, or loading exceeded a store's `Limits.loadTime`.
    case time
    /// Exceeded ``LuaLimits/instructions``.
    case instructions
    /// Exceeded ``LuaLimits/stringLength``.
    case stringLength
    /// Exceeded ``LuaLimits/patternSteps``.
    case patternSteps
    /// Exceeded ``LuaLimits/sourceSize``.
    case sourceSize
    /// Exceeded ``LuaLimits/tableKeys``.
    case tableKeys
    /// Exceeded a store's `Limits.actions`.
    case actions
    /// Exceeded a store's `Limits.effects`.
    case effects
    /// A store has as many alarms as it may have.
    case alarms
    /// Exceeded a store's `Limits.viewNodes`.
    case viewNodes
    /// The host interrupted the script.
    case interrupted
  }
}

extension ScriptError.Kind {
  /// The kind of a reason to stop scripts.
  init(_ reason: sl_stop_reason) {
    self = sl_stop_kind(reason).flatMap { Self(rawValue: String(cString: $0)) } ?? .runtime
  }

  /// The reason to stop scripts for a limit that Swift counts; nil for all other kinds.
  var stop: sl_stop_reason? {
    switch self {
    case .actions: SL_STOP_ACTIONS
    case .effects: SL_STOP_EFFECTS
    default: nil
    }
  }
}

extension ScriptError {
  /// Whether scripts were stopped, by a limit or by the host. Scripts cannot catch such an error.
  package var isStop: Bool { exceeded != nil || kind == .interrupted }

  /// A screen has more nodes than it may have.
  package static func tooManyNodes() -> ScriptError {
    ScriptError(
      """
      the views of a screen have more nodes than Limits.viewNodes allows; show fewer rows, or show them in a list, which \
      has a window
      """, kind: .viewNodes)
  }
}

extension ScriptError: CustomStringConvertible {
  /// `todos.lua:12`, or the script alone; nil for an error that is in no script.
  package var location: String? {
    script.map { script in line.map { "\(script):\($0)" } ?? script }
  }

  /// `todos.lua:12: attempt to …`, without the traceback.
  public var description: String { location.map { "\($0): \(message)" } ?? message }
}
