import LuaBridge
import ScriptedStore
import Synchronization

/// Makes the script names in messages paths from the current folder: `scripts/counter.lua:12` for
/// `counter.lua:12`. Terminals and editors open such a position on a click.
///
/// The text of messages is rewritten when it is printed. The other way would be to load scripts
/// under these paths; then recordings, and states that store a caught error, would depend on the
/// folder in which the runner was started.
package struct ScriptPaths: Sendable {
  /// The path of the root from the current folder, with a slash at its end; empty for the current
  /// folder itself.
  private let prefix: String

  package init(root: String) {
    let path = Paths.fromCurrentFolder(root)
    prefix = path == "." ? "" : Paths.join(path, "")
  }

  /// The path of a script with this name in messages; the name itself if the root has no such
  /// script.
  package func path(of name: some StringProtocol) -> String {
    guard !prefix.isEmpty, !name.hasPrefix("/"), Paths.real(prefix + name) != nil else {
      return String(name)
    }
    return prefix + name
  }

  /// Rewrites each name that a colon follows. Text in double quotes is a value of a script, such as
  /// an error message that a test expects, and stays as it is. A name that has a blank, a quote or one
  /// of the other delimiters keeps its form, and is still readable.
  func rewritten(_ message: String) -> String {
    guard !prefix.isEmpty, message.contains(".lua:") else { return message }
    let quotedOrWord = /"(?:[^"\\\n]|\\[^\n])*"?|[^ \t\n"'`<(\[{,;=]+/
    return message.replacing(quotedOrWord) { match in
      guard let colon = match.output.firstIndex(of: ":"),
        match.output[..<colon].hasSuffix(".lua"), !match.output.hasPrefix("\"")
      else { return String(match.output) }
      return path(of: match.output[..<colon]) + match.output[colon...]
    }
  }

  // MARK: The root of this process

  private static let current = Mutex<ScriptPaths?>(nil)

  /// Sets the root from which this process loads scripts. A command calls it before it prints a
  /// message of a script.
  package static func use(root: String) { current.withLock { $0 = ScriptPaths(root: root) } }

  /// The message as ``rewritten(_:)`` has it, with the root of this process.
  package static func inMessage(_ message: String) -> String {
    current.withLock { $0 }?.rewritten(message) ?? message
  }

  /// The path as ``path(of:)`` has it, with the root of this process.
  package static func path(of name: String) -> String {
    current.withLock { $0 }?.path(of: name) ?? name
  }
}

/// A message of the library that may name lines of scripts. `TerminalText` prints it with
/// ``displayed``; other formats have to ask for it.
package protocol ScriptMessage: CustomStringConvertible {}

extension ScriptMessage {
  /// The message with script names as paths from the current folder.
  package var displayed: String { ScriptPaths.inMessage(description) }
}

extension ScriptError: ScriptMessage {
  package var displayed: String {
    let message = ScriptPaths.inMessage(message)
    guard let path = script.map(ScriptPaths.path) else { return message }
    return (line.map { "\(path):\($0): " } ?? "\(path): ") + message
  }
}

extension RuntimeWarning: ScriptMessage {}
extension EffectDescription: ScriptMessage {}

extension ScriptTest {
  /// The path of the file.
  package var displayedFile: String { ScriptPaths.path(of: file) }
}

extension ReducerTree {
  /// The tree with script names as paths from the current folder.
  package var displayed: ReducerTree { mapOrigins(ScriptPaths.inMessage) }
}

/// The error's message and source line, followed by the traceback if there is one. Script names are
/// paths from the current folder.
package func describe(_ error: ScriptError) -> String {
  let lines = [error.displayed, error.traceback.map(ScriptPaths.inMessage)]
  return lines.compactMap(\.self).joined(separator: "\n")
}

/// The message for a failed reload. The store continues to run on the old generation.
package func describe(_ error: ReloadError) -> String {
  "not reloaded, the old code runs on:\n"
    + error.errors.map { indented(describe($0), by: 2) }.joined(separator: "\n")
}

extension RuntimeWarning {
  /// The effect that the warning is about, as `in the effect of Todos at scripts/todos.lua:18, which add
  /// started`; nil if it is about none.
  package var effectText: String? {
    guard let effect else { return nil }
    let feature = effect.feature.map { " of \($0)" } ?? ""
    let action = effect.action.map { ", which \($0) started" } ?? ""
    return "in the effect\(feature) at \(ScriptPaths.inMessage(effect.origin))\(action)"
  }
}

/// Why a feature has no screen, and what to do.
package func missingView(_ tree: ReducerTree) -> String {
  let place = tree.displayed.origin.map { "\($0): " } ?? ""
  return """
    \(place)\(tree.name ?? "this reducer") has no view, so there is nothing to show; \
    give the feature one, as `view = function(state) return "Hello" end`
    """
}
