/// What to write instead of habits from other languages that Lua compiles, and raises an error for.
enum RuntimeRemedy {
  /// Returns the remedy for a message of Lua; nil if there is none.
  ///
  /// - Parameters:
  ///   - message: such as `attempt to call a nil value (method 'append')`.
  ///   - line: the text of the line on which it was raised.
  static func remedy(for message: String, in line: () -> Substring) -> String? {
    if let name = absentFunction(message) {
      return ListRemedy.remedy(for: name).map { "a list has no functions of its own; \($0)" }
    }
    if message.hasPrefix("attempt to index a nil value (field '"), message.hasSuffix("')"),
      line().contains("[0]")
    {
      return "the indices of a list begin at 1"
    }
    switch message {
    case "attempt to call a table value (for iterator 'for iterator')":
      return "write 'for index, x in ipairs(list) do', or 'for key, x in pairs(object) do'"
    case "attempt to add a 'string' with a 'string'", "attempt to add a 'string' with a 'number'",
      "attempt to add a 'number' with a 'string'":
      return "write 'a .. b' to join texts"
    default: return nil
    }
  }

  /// The name of the field that the script called as a function, and that is nil.
  private static func absentFunction(_ message: String) -> String? {
    for start in ["attempt to call a nil value (field '", "attempt to call a nil value (method '"]
    where message.hasPrefix(start) && message.hasSuffix("')") {
      return String(message.dropFirst(start.count).dropLast(2))
    }
    return nil
  }
}
