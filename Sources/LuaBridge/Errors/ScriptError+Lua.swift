import CLua
import ScriptValue

extension ScriptError {
  /// The name of a chunk without its first character, Lua's mark `@` or `=`.
  static func chunkName(_ source: UnsafePointer<CChar>) -> String {
    var name = String(cString: source)
    if name.hasPrefix("@") || name.hasPrefix("=") { name.removeFirst() }
    return name
  }

  /// The failure that the last protected call has left in the VM.
  init(status: Int32, in vm: LuaVM) {
    let failure = vm.core.pointee.failure
    self.init(failure.message.string)
    kind =
      switch (failure.reason, status) {
      case (SL_STOP_NONE, LUA_ERRSYNTAX): .syntax
      case (SL_STOP_NONE, LUA_ERRMEM): .memory
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
    // The message of a table has no position from Lua.
    let mayHavePosition = !message.isEmpty
    if failure.has_value { takeValue(from: vm) }
    cause = vm.takeCause()
    if mayHavePosition, !takePosition(in: vm), kind == .runtime {
      isBare = !failure.has_value
      if let inner = cause as? ScriptError, inner.isBare, inner.message == message {
        (script, line) = (inner.script, inner.line)
      }
    }
    addRemedy(from: vm)
    // An error of a script that this one required: keep its kind, figures and traceback.
    if let inner = cause as? ScriptError {
      self.kind = inner.kind
      exceeded = inner.exceeded
      traceback = inner.traceback ?? traceback
      cause = inner.cause
    }
  }

  /// A failure of a test, from the fields of the test framework's failure table. `message` may
  /// begin with a position; `script` and `line` are those of the innermost script. C functions at
  /// the end of the traceback are removed.
  package init(
    failure message: String, script: String?, line: Int?, traceback: String?, in vm: LuaVM
  ) {
    self.init(message, script: script, line: line)
    self.traceback = traceback
    takePosition(in: vm)
    self.traceback = nil
    addRemedy(from: vm)
    guard let traceback else { return }
    let part = ScriptError.scriptsPart(of: traceback, without: vm.hostChunks)
    var lines = part?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
    while lines.last?.hasPrefix("\t[C]:") == true || lines.last == "\t(...tail calls...)" {
      lines.removeLast()
    }
    self.traceback = lines.count > 1 ? lines.joined(separator: "\n") : nil
  }

  /// Says what to write instead, if Lua's message has a remedy.
  private mutating func addRemedy(from vm: LuaVM) {
    guard let script, let line else { return }
    func text() -> Substring {
      vm.sources[script].map { SourceLines($0)[line] } ?? ""
    }
    if let better = AbsentFunctions.message(
      for: message, runsFeatures: vm.runsFeatures, in: text)
    {
      message = better
    } else if let remedy = RuntimeRemedy.remedy(for: message, in: text) {
      message += "; \(remedy)"
    }
  }

  /// Reads the error value from the tape. If there is no message, makes one of the value.
  private mutating func takeValue(from vm: LuaVM) {
    var reader = TapeReader(vm: vm, items: vm.core.pointee.tapes.to_swift.items)
    let raised = (try? reader.next()) ?? .nil
    value = Value(raised)
    guard message.isEmpty else { return }
    message = value.map(ErrorValueText.text) ?? "error value: \(raised.typeName)"
  }

  /// Moves the position that Lua puts in front of the message to `script` and `line`. It takes
  /// precedence over the position on the stack, since `error(…, 2)` names the caller on purpose;
  /// but a position in the host's own chunks is only removed. Returns whether there was one.
  @discardableResult
  private mutating func takePosition(in vm: LuaVM) -> Bool {
    // Accepts only `<script>:<line>: `, with digits as the line.
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
    guard let colon, let end else { return false }
    let digits = text[text.index(after: colon)..<end]
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int(String(message[digits.startIndex..<digits.endIndex]))
    else { return false }
    let name = String(message[..<colon])
    guard isPosition(name, line: number, in: vm) else { return false }
    if script == nil || !vm.hostChunks.contains(name) {
      script = ScriptError.fullName(name, among: script)
      line = number
    }
    message = String(message[text.index(end, offsetBy: 2)...])
    return true
  }

  /// Whether `name:line: ` in front of a message is a position: that of a chunk that is known, or of a file
  /// of Lua. It is none in a message that only begins like one: `GET http://a:80: refused`.
  private func isPosition(_ name: String, line: Int, in vm: LuaVM) -> Bool {
    if kind == .syntax || name.hasPrefix("[string \"") || vm.hostChunks.contains(name) {
      return true
    }
    if name.hasSuffix(".lua"), !name.contains(":") { return true }
    if ScriptError.fullName(name, among: script) == script { return true }
    if let inner = cause as? ScriptError, let script = inner.script,
      ScriptError.fullName(name, among: script) == script
    {
      return true
    }
    if traceback?.contains("\t\(name):\(line):") == true { return true }
    return vm.chunks.contains(name)
      || name.hasPrefix("...") && vm.chunks.contains { $0.hasSuffix(name.dropFirst(3)) }
  }

  /// The traceback without the frames of the host's own chunks, without the `error` that they
  /// called, and without the protected call at the end. Nil if nothing is left.
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

  /// How many bytes of a message are searched for a position. No script's path is longer.
  private static let longestName = 4200

  /// The full name of a script. Lua shortens long names at their start (`...ures/todos.lua`);
  /// `known` is the full name of the innermost script.
  static func fullName(_ name: String, among known: String?) -> String {
    guard let known, name.hasPrefix("..."), known.hasSuffix(name.dropFirst(3)) else { return name }
    return known
  }
}

extension sl_text {
  /// A copy of the text. Bytes that are not UTF-8 are replaced.
  var string: String {
    guard let bytes, count > 0 else { return "" }
    return String(
      decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}

/// The text of an error value that is no string, as `error { code = 3 }` raises it.
enum ErrorValueText {
  /// The longest text of a field, in characters. The body of an HTTP response may have megabytes.
  private static let longestField = 300

  /// The table's `message` with the other fields behind it, the shortest first:
  /// `no such place { code = 404, url = "…" }`. A value without a message in Lua syntax:
  /// `error value: { code = 3 }`.
  static func text(of value: Value) -> String {
    guard let table = value.object, let message = table["message"]?.string else {
      return "error value: \(value)"
    }
    let fields = table.filter { $0.key != "message" }.map { (key: $0.key, text: text($0.value)) }
      .sorted { ($0.text.count, $0.key) < ($1.text.count, $1.key) }
    guard !fields.isEmpty else { return message }
    return "\(message) { "
      + fields.map { "\(LuaLiteral.key($0.key)) = \($0.text)" }.joined(separator: ", ") + " }"
  }

  /// A field in Lua syntax. What is too long is cut, and ends with `…`.
  private static func text(_ value: Value) -> String {
    // A string is cut before its quotes are added.
    value.string.map { Value.string(cut($0)).description } ?? cut(value.description)
  }

  private static func cut(_ text: String) -> String {
    let start = text.prefix(longestField)
    return start.endIndex < text.endIndex ? start + "…" : text
  }
}
