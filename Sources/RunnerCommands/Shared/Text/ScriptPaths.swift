import Synchronization

/// Makes the script names in messages paths from the current folder: `scripts/counter.lua:12` for
/// `counter.lua:12`. Terminals and editors open such a position on a click.
///
/// The text of messages is rewritten when it is printed. The other way would be to load scripts
/// under these paths; then recordings, and states that store a caught error, would depend on the
/// folder in which the runner was started.
struct ScriptPaths: Sendable {
  /// The path of the root from the current folder, with a slash at its end; empty for the current
  /// folder itself.
  private let prefix: String

  init(root: String) {
    let path = Paths.fromCurrentFolder(root)
    prefix = path == "." ? "" : Paths.join(path, "")
  }

  /// The path of a script with this name in messages; the name itself if the root has no such
  /// script.
  func path(of name: some StringProtocol) -> String {
    guard !prefix.isEmpty, !name.hasPrefix("/"), Paths.real(prefix + name) != nil else {
      return String(name)
    }
    return prefix + name
  }

  /// Rewrites each name that a colon follows. Text in double quotes is a value of a script, such as
  /// an error message that a test expects, and stays as it is.
  func rewritten(_ message: String) -> String {
    guard !prefix.isEmpty, message.contains(Self.suffix + ":") else { return message }
    return message.split(separator: "\n", omittingEmptySubsequences: false)
      .map { rewritten(line: $0) }.joined(separator: "\n")
  }

  private static let suffix = ".lua"
  /// What ends a name. A name that has one of these keeps its form, and is still readable.
  private static let delimiters = Set(" \t\"'`<([{,;=")

  private func rewritten(line: Substring) -> String {
    var (result, word) = ("", "")
    var isInQuotes = false
    var isEscaped = false
    for character in line {
      if isInQuotes {
        isInQuotes = isEscaped || character != "\""
        isEscaped = !isEscaped && character == "\\"
        result.append(character)
      } else if Self.delimiters.contains(character) {
        isInQuotes = character == "\""
        result += rewritten(word: word)
        result.append(character)
        word = ""
      } else {
        word.append(character)
      }
    }
    return result + rewritten(word: word)
  }

  private func rewritten(word: String) -> String {
    guard let colon = word.firstIndex(of: ":"), word[..<colon].hasSuffix(Self.suffix) else {
      return word
    }
    return path(of: word[..<colon]) + word[colon...]
  }

  // MARK: The root of this process

  private static let current = Mutex<ScriptPaths?>(nil)

  /// Sets the root from which this process loads scripts. A command calls it before it prints a
  /// message of a script.
  static func use(root: String) { current.withLock { $0 = ScriptPaths(root: root) } }

  /// The message as ``rewritten(_:)`` has it, with the root of this process.
  static func inMessage(_ message: String) -> String {
    current.withLock { $0 }?.rewritten(message) ?? message
  }

  /// The path as ``path(of:)`` has it, with the root of this process.
  static func path(of name: String) -> String { current.withLock { $0 }?.path(of: name) ?? name }
}
