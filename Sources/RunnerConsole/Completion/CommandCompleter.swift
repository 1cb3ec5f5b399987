import RunnerShared
import ScriptValue
import ScriptedStore

/// Completes a line of the console: an action's path or payload, a command's name, or a command's
/// argument.
struct CommandCompleter {
  let tree: ReducerTree
  let state: Value
  /// The keys that the payload of the action with this path is known to have.
  let payloadKeys: (_ path: String) -> [String]

  func completion(of text: String) -> Completion {
    guard text.hasPrefix(":") else {
      let end = ActionLine.endOfPath(in: text)
      guard end < text.endIndex else {
        return ActionCompleter(tree: tree, state: state).completion(of: text)
      }
      return payload(of: String(text[..<end]), String(text[end...]))
    }
    guard let blank = text.firstIndex(of: " ") else {
      return Completion(
        prefix: ":", candidates: ConsoleCommand.names, matching: String(text.dropFirst()))
    }
    let start = text.index(after: blank)
    let (prefix, argument) = (String(text[..<start]), String(text[start...]))
    switch ConsoleCommand.named(String(text[..<blank].dropFirst()))?.argument {
    case .path?:
      var completion = paths(argument)
      completion.prefix = prefix + completion.prefix
      return completion
    case .command?:
      return Completion(prefix: prefix, candidates: ConsoleCommand.names, matching: argument)
    case .words(let words)?:
      return Completion(prefix: prefix, candidates: words, matching: argument)
    case .other?, nil: return .none
    }
  }

  /// - Parameter text: what follows the path.
  private func payload(of path: String, _ text: String) -> Completion {
    let blanks = text.prefix { $0 == " " }
    guard !path.isEmpty, text.dropFirst(blanks.count).first == "{" else { return .none }
    var completion = PayloadCompleter(keys: payloadKeys(path))
      .completion(of: String(text.dropFirst(blanks.count)))
    completion.prefix = path + blanks + completion.prefix
    return completion
  }

  /// Completes a path in the state with the keys and indices that exist there.
  private func paths(_ text: String) -> Completion {
    let (whole, rest) = StatePath.split(text)
    guard rest.isEmpty, whole.count == text.count else { return .none }
    guard let end = text.lastIndex(where: { $0 == "." || $0 == "[" }) else {
      return Completion(prefix: "", candidates: Self.members(of: state), matching: text)
    }
    let start = text.index(after: end)
    guard let path = try? StatePath.path(String(text[..<end])), let parent = state.get(path) else {
      return .none
    }
    let (before, typed) = (String(text[..<start]), String(text[start...]))
    switch (parent, text[end]) {
    case (.array(let list), "["):
      return Completion(
        prefix: before, candidates: list.indices.map { "\($0 + 1)]" }, matching: typed)
    case (.object, "."):
      return Completion(prefix: before, candidates: Self.members(of: parent), matching: typed)
    default: return .none
    }
  }

  private static func members(of value: Value) -> [String] {
    (value.object?.keys).map { keys in
      keys.filter { key in !key.isEmpty && key.allSatisfy { !".[]\" ".contains($0) } }
    } ?? []
  }
}

/// The possible completions of a text.
struct Completion {
  /// The part of the text before the completed part.
  var prefix: String
  /// Replacements for the part after `prefix`.
  var candidates: [String] = []

  static let none = Completion(prefix: "")

  func text(choosing index: Int) -> String { prefix + candidates[index] }

  /// The prefix followed by the longest common beginning of all candidates.
  var commonText: String {
    guard var common = candidates.first else { return prefix }
    for candidate in candidates {
      common = String(zip(common, candidate).prefix { $0 == $1 }.map(\.0))
    }
    return prefix + common
  }
}

extension Completion {
  /// Selects candidates by the first rule that any candidate meets: it begins with `typed`; it
  /// begins with `typed` in any case; it contains `typed` in any case.
  init(prefix: String, candidates: [String], matching typed: String) {
    let folded = typed.lowercased()
    let tests: [(String) -> Bool] = [
      { $0.hasPrefix(typed) }, { $0.lowercased().hasPrefix(folded) },
      { $0.lowercased().contains(folded) },
    ]
    let found = tests.lazy.map { candidates.filter($0) }.first { !$0.isEmpty } ?? []
    self.init(prefix: prefix, candidates: found)
  }
}
