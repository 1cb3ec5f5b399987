import LuaBridge

/// Lua patterns, matched by Lua itself. Not `Sendable`, as the VM is not.
struct LuaPatterns {
  private let patterns: [String]
  private let find: LuaFunction

  init(_ patterns: [String]) throws(ScriptError) {
    self.patterns = patterns
    find = try LuaVM().load(
      "local text, pattern = ... return string.find(text, pattern) ~= nil", name: "=pattern")
  }

  /// Throws if one of them is malformed.
  func match(_ text: String) throws(ScriptError) -> Bool {
    for pattern in patterns {
      do throws(ScriptError) {
        if case .boolean(true) = try find.call([.string(text), .string(pattern)]).first {
          return true
        }
      } catch {
        throw ScriptError("the pattern '\(pattern)': \(error.message)")
      }
    }
    return false
  }
}
