import LuaBridge
import RunnerShared

/// Lua patterns, matched by Lua itself. Not `Sendable`, because a Lua VM is not.
struct LuaPatterns {
  private let patterns: [String]
  /// Nil without patterns, for which no VM is made.
  private let find: LuaFunction?

  /// Throws if a pattern is malformed.
  init(_ patterns: [String]) throws(ScriptError) {
    self.patterns = patterns
    find =
      try patterns.isEmpty
      ? nil
      : LuaVM().load(
        "local text, pattern = ... return string.find(text, pattern) ~= nil", name: "=pattern")
    for pattern in patterns {
      if let fault = Self.fault(of: pattern) {
        throw ScriptError("the pattern '\(pattern)': \(fault)")
      }
    }
  }

  var isEmpty: Bool { patterns.isEmpty }

  /// Whether any pattern matches. Throws if a pattern is too complex, or refers to a capture that
  /// does not exist.
  func match(_ text: String) throws(ScriptError) -> Bool {
    for pattern in patterns where try isFound(pattern, in: text) { return true }
    return false
  }

  /// The error that Lua would raise for a malformed pattern; nil if it is well formed. Lua reads a
  /// pattern only as far as the text matches. So Lua may not find the error, and the pattern would
  /// look like one that matches nothing.
  private static func fault(of pattern: String) -> String? {
    var rest = Array(pattern.utf8)[...]
    var captures = 0
    while let item = rest.popFirst() {
      switch item {
      case UInt8(ascii: "%"):
        guard let kind = rest.popFirst() else { return "malformed pattern (ends with '%')" }
        if kind == UInt8(ascii: "b") {
          guard rest.count >= 2 else { return "malformed pattern (missing arguments to '%b')" }
          rest = rest.dropFirst(2)
        } else if kind == UInt8(ascii: "f") && rest.first != UInt8(ascii: "[") {
          return "missing '[' after '%f' in pattern"
        }
      case UInt8(ascii: "["):
        if !skipSet(&rest) { return "malformed pattern (missing ']')" }
      case UInt8(ascii: "("): captures += 1
      case UInt8(ascii: ")"):
        captures -= 1
        if captures < 0 { return "invalid pattern capture" }
      default: break
      }
    }
    return captures > 0 ? "unfinished capture" : nil
  }

  /// Skips a set, beginning after its `[`. Returns false if the set does not end. A `]` at the
  /// beginning is a member of the set and not its end.
  private static func skipSet(_ rest: inout ArraySlice<UInt8>) -> Bool {
    if rest.first == UInt8(ascii: "^") { rest.removeFirst() }
    repeat {
      guard let member = rest.popFirst() else { return false }
      if member == UInt8(ascii: "%") { _ = rest.popFirst() }
    } while rest.first != UInt8(ascii: "]")
    rest.removeFirst()
    return true
  }

  private func isFound(_ pattern: String, in text: String) throws(ScriptError) -> Bool {
    do throws(ScriptError) {
      let results = try find?.call([.string(text), .string(pattern)])
      return if case .boolean(true)? = results?.first { true } else { false }
    } catch {
      throw ScriptError("the pattern '\(pattern)': \(error.message)")
    }
  }
}
