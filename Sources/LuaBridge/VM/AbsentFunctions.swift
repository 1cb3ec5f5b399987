/// The functions of stock Lua's `os` that scripts do not have, and what to use instead.
package enum AbsentFunctions {
  private static let remedies = [
    "execute": "the host can offer what it does as a dependency",
    "exit": "only the host can end its process",
    "getenv": "the host can offer the value as a dependency",
    "remove": "the host can offer files as a dependency",
    "rename": "the host can offer files as a dependency",
    "setlocale": "scripts have the same locale on every host",
    "tmpname": "the host can offer files as a dependency",
  ]

  /// The message about each function, by its name: `os.getenv`.
  package static let messages = Dictionary(
    uniqueKeysWithValues: remedies.map { name, remedy in
      ("os.\(name)", "os.\(name) is not available to scripts; \(remedy)")
    })

  /// Returns the message for an error of Lua that a script caused by a call of such a function; nil
  /// for other errors. Lua names only the field, so the script's text has to name the library.
  ///
  /// - Parameters:
  ///   - error: such as `attempt to call a nil value (field 'getenv')`.
  ///   - line: the text of the line on which it was raised.
  static func message(for error: String, in line: () -> Substring) -> String? {
    let start = "attempt to call a nil value (field '"
    guard error.hasPrefix(start), error.hasSuffix("')") else { return nil }
    let name = "os.\(error.dropFirst(start.count).dropLast(2))"
    guard let message = messages[name], line().contains(name) else { return nil }
    return message
  }
}
