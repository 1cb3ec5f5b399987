/// The functions of stock Lua's `os` that scripts do not have, and what to use instead.
package enum AbsentFunctions {
  /// What to use instead, for scripts that get `offer` from the host.
  private static func remedies(_ offer: String) -> [String: String] {
    [
      "execute": "the host can offer what it does as a \(offer)",
      "exit": "only the host can end its process",
      "getenv": "the host can offer the value as a \(offer)",
      "remove": "the host can offer files as a \(offer)",
      "rename": "the host can offer files as a \(offer)",
      "setlocale": "scripts have the same locale on every host",
      "tmpname": "the host can offer files as a \(offer)",
    ]
  }

  /// The message about each function to the scripts of features, by its name: `os.getenv`.
  package static let messages = messages(remedies("dependency"))
  /// The same in a VM that runs no features.
  private static let messagesAlone = messages(remedies("global"))

  private static func messages(_ remedies: [String: String]) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: remedies.map { name, remedy in
        ("os.\(name)", "os.\(name) is not available to scripts; \(remedy)")
      })
  }

  /// Returns the message for an error of Lua that a script caused by a call of such a function; nil
  /// for other errors. Lua names only the field, so the script's text has to name the library.
  ///
  /// - Parameters:
  ///   - error: such as `attempt to call a nil value (field 'getenv')`.
  ///   - runsFeatures: whether the script is one of features.
  ///   - line: the text of the line on which it was raised.
  static func message(
    for error: String, runsFeatures: Bool, in line: () -> Substring
  ) -> String? {
    let start = "attempt to call a nil value (field '"
    guard error.hasPrefix(start), error.hasSuffix("')") else { return nil }
    let name = "os.\(error.dropFirst(start.count).dropLast(2))"
    let messages = runsFeatures ? messages : messagesAlone
    guard let message = messages[name], line().contains(name) else { return nil }
    return message
  }
}
