import CLua

/// What went wrong in a script, or on the way into or out of one.
///
/// It takes the size of one reference, as whatever may fail makes room for it.
public struct ScriptError: Error, Sendable {
  /// What went wrong, for hosts that treat some of it differently.
  public enum Kind: Sendable, Hashable {
    /// The text does not compile.
    case syntax
    /// The script raised, or was given something that it cannot use.
    case runtime
    /// The VM, or one turn, is over its memory limit, or the machine out of memory.
    case memory
    /// The turn took longer than ``Limits/time``, or loading than ``Limits/loadTime``.
    case time
    /// Over ``Limits/instructions``.
    case instructions
    /// Over ``Limits/stringLength``.
    case stringLength
    /// Over ``Limits/patternSteps``.
    case patternSteps
    /// Over ``Limits/sourceSize``.
    case sourceSize
    /// Over ``Limits/tableKeys``.
    case tableKeys
    /// Over ``Limits/actions``.
    case actions
    /// Over ``Limits/effects``.
    case effects
    /// Somebody stopped it.
    case interrupted
  }

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
  /// What happened, without position. For an error value that is not a string: that value in Lua
  /// syntax, what its `__tostring` says, or its type.
  public var message: String {
    get { fields.message }
    set { fields.message = newValue }
  }
  /// The script that the innermost function on the stack is from, as it was named when loaded.
  public var script: String? {
    get { fields.script }
    set { fields.script = newValue }
  }
  /// 1-based.
  public var line: Int? {
    get { fields.line }
    set { fields.line = newValue }
  }
  /// Lua's own stack traceback, from the place where the error was raised.
  public var traceback: String? {
    get { fields.traceback }
    set { fields.traceback = newValue }
  }
  /// The error value, where it was not a string but is of the kinds that state has
  /// (`error { code = 3 }`).
  public var value: Value? {
    get { fields.value }
    set { fields.value = newValue }
  }
  /// The Swift error that a host function threw, when that is what the script died of. Nil where the script caught it,
  /// unless it raised the same message again.
  public var cause: (any Error)? {
    get { fields.cause }
    set { fields.cause = newValue }
  }
  /// The figures of the limit that `kind` names, where scripts were stopped by one.
  public var exceeded: ExceededLimit? {
    get { fields.exceeded }
    set { fields.exceeded = newValue }
  }
  /// The feature whose code raised, where a store ran it.
  public var feature: String? {
    get { fields.feature }
    set { fields.feature = newValue }
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

extension ScriptError: CustomStringConvertible {
  /// `todos.lua:12: attempt to …`, without the traceback.
  public var description: String {
    guard let script else { return message }
    guard let line else { return "\(script): \(message)" }
    return "\(script):\(line): \(message)"
  }
}

extension ScriptError.Kind {
  /// By `SL_STOP_…`.
  fileprivate init(_ reason: Int32) {
    self =
      switch reason {
      case SL_STOP_TIME: .time
      case SL_STOP_INTERRUPT: .interrupted
      case SL_STOP_STRING: .stringLength
      case SL_STOP_INSTRUCTIONS: .instructions
      case SL_STOP_PATTERN: .patternSteps
      case SL_STOP_SOURCE: .sourceSize
      case SL_STOP_KEYS: .tableKeys
      case SL_STOP_ACTIONS: .actions
      case SL_STOP_EFFECTS: .effects
      default: .memory
      }
  }

  /// `SL_STOP_…` of a limit that is counted outside of the VM.
  var stop: Int32? {
    switch self {
    case .actions: SL_STOP_ACTIONS
    case .effects: SL_STOP_EFFECTS
    default: nil
    }
  }
}

extension ScriptError {
  /// Whether scripts were stopped, which none of them may catch.
  package var isStop: Bool { exceeded != nil || kind == .interrupted }

  /// A script's name without the mark that Lua wants in front.
  static func chunkName(_ source: UnsafePointer<CChar>) -> String {
    var name = String(cString: source)
    if name.hasPrefix("@") || name.hasPrefix("=") { name.removeFirst() }
    return name
  }

  /// The failure that the last protected call left in the VM.
  init(status: Int32, in vm: LuaVM) {
    let failure = vm.core.pointee.failure
    self.init(failure.message.string)
    kind =
      switch (failure.reason, status) {
      case (SL_STOP_NONE, LUA_ERRSYNTAX): .syntax
      case (SL_STOP_NONE, LUA_ERRMEM): .memory
      case (SL_STOP_NONE, _): .runtime
      case (let reason, _): Kind(reason)
      }
    if failure.reason != SL_STOP_NONE && failure.reason != SL_STOP_INTERRUPT {
      exceeded = ExceededLimit(allowed: failure.allowed, reached: failure.reached)
    }
    script = failure.script.count > 0 ? failure.script.string : nil
    line = failure.line > 0 ? Int(failure.line) : nil
    traceback =
      failure.traceback.count > 0
      ? ScriptError.scriptsPart(of: failure.traceback.string, without: vm.hostChunks) : nil
    if failure.has_value { takeValue(from: vm) }
    cause = vm.takeCause()
    takePosition(passingOver: vm.hostChunks)
    // A script that another required: what went wrong there is what went wrong.
    if let inner = cause as? ScriptError {
      self.kind = inner.kind
      exceeded = inner.exceeded
      traceback = inner.traceback ?? traceback
      cause = inner.cause
    }
  }

  /// What a test framework's failure table says; `message` may begin with a position, `script` and `line` tell the
  /// innermost script's. The traceback ends where scripts do.
  package init(
    failure message: String, script: String?, line: Int?, traceback: String?, in vm: LuaVM
  ) {
    self.init(message, script: script, line: line)
    takePosition(passingOver: vm.hostChunks)
    guard let traceback else { return }
    let part = ScriptError.scriptsPart(of: traceback, without: vm.hostChunks)
    var lines = part?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
    while lines.last?.hasPrefix("\t[C]:") == true || lines.last == "\t(...tail calls...)" {
      lines.removeLast()
    }
    self.traceback = lines.count > 1 ? lines.joined(separator: "\n") : nil
  }

  private mutating func takeValue(from vm: LuaVM) {
    var reader = TapeReader(vm: vm, items: vm.core.pointee.tape.items)
    let raised = (try? reader.next()) ?? .nil
    value = Value(raised)
    guard message.isEmpty else { return }
    message = "error value: " + (value.map(\.debugDescription) ?? raised.typeName)
  }

  /// Lua puts the position in front of the message; here it has fields of its own. The message's
  /// wins: `error(…, 2)` names the caller on purpose. But not a position in the host's own chunks.
  private mutating func takePosition(passingOver hostChunks: Set<String>) {
    // `<script>:<line>: `, and nothing else that only looks like it.
    let text = message.utf8
    var colon: String.Index?
    var end: String.Index?
    for index in text.indices.prefix(ScriptError.longestName) where text[index] == UInt8(ascii: ":")
    {
      if text.index(after: index) < text.endIndex,
        text[text.index(after: index)] == UInt8(ascii: " ")
      {
        end = index
        break
      }
      colon = index
    }
    guard let colon, let end else { return }
    let digits = text[text.index(after: colon)..<end]
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int(String(message[digits.startIndex..<digits.endIndex]))
    else { return }
    let name = String(message[..<colon])
    if script == nil || !hostChunks.contains(name) {
      script = ScriptError.fullName(name, among: script)
      line = number
    }
    message = String(message[text.index(end, offsetBy: 2)...])
  }

  /// Lua's traceback without the frames of the host's own chunks, the `error` that they called, and the
  /// protected call below everything. Nil if nothing is left.
  private static func scriptsPart(
    of traceback: String, without hostChunks: Set<String>
  ) -> String? {
    var lines = traceback.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last == "\t[C]: in ?" { lines.removeLast() }
    func isHosts(_ line: Substring) -> Bool {
      line.first == "\t" && hostChunks.contains(String(line.dropFirst().prefix { $0 != ":" }))
    }
    var kept: [Substring] = []
    var isBehindHosts = false
    for line in lines {
      if isHosts(line) {
        if kept.last?.hasPrefix("\t[C]: in function 'error'") == true { kept.removeLast() }
        isBehindHosts = true
      } else if !isBehindHosts || line != "\t(...tail calls...)" {
        kept.append(line)
        isBehindHosts = false
      }
    }
    return kept.count > 1 ? kept.joined(separator: "\n") : nil
  }

  /// Where the search for a position ends: no script's path is longer.
  private static let longestName = 4200

  /// Lua cuts long names at their start (`...ures/todos.lua`); `known` is the innermost script's whole one.
  static func fullName(_ name: String, among known: String?) -> String {
    guard let known, name.hasPrefix("..."), known.hasSuffix(name.dropFirst(3)) else { return name }
    return known
  }
}

extension sl_text {
  /// A copy; bytes that are not UTF-8 are repaired.
  var string: String {
    guard let bytes, count > 0 else { return "" }
    return String(
      decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
