import ArgumentParser
import RunnerShared
import ScriptValue

struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain a message by its code or by its words.",
    discussion: """
      Warnings and errors have their code behind the first word: warning[unknownAction], or, in the \
      output of runner check, at their end. The entry of a code tells what causes the message, shows \
      it, and says what to do. Messages without a code are found by a word or a part of them: \
      runner explain "returns an effect or nothing". Without an argument all codes are listed.

      Exit status: 0; 64 for wrong usage, as a code that there is not; 74 when writing fails.
      """)

  @Argument(help: "The code of a message, as unknownAction, or words of it.")
  var words: [String] = []

  func run() throws {
    let index = MessageIndex.embedded
    let text = words.joined(separator: " ").trimmed
    guard !text.isEmpty else {
      return try StandardStreams.output(Self.list(index.entries.map(\.whole)))
    }
    if let entry = index.entries.first(where: { $0.code == text }) {
      return try Pager.print(MarkdownText.forOutput.text(of: entry.blocks))
    }
    let found = index.find(text)
    switch found.count {
    case 0:
      let hint =
        Suggestion.question(for: text, in: index.entries.map(\.code)) ?? "runner explain lists all"
      throw fail(.usage, "no message has the code or the text '\(text)'; \(hint)")
    case 1: try Pager.print(MarkdownText.forOutput.text(of: found[0].blocks))
    default: try Pager.print(Self.list(found))
    }
  }

  private static func list(_ found: [MessageIndex.Found]) -> TerminalText {
    let text = MarkdownText.forOutput
    let width = found.map(\.entry.code.count).max() ?? 0
    var list: TerminalText = ""
    var group: String?
    for (entry, blocks) in found {
      if entry.group != group {
        if group != nil { list += "\n" }
        list += text.style.bold("\(entry.group)") + "\n"
        group = entry.group
      }
      let gap = String(repeating: " ", count: width - entry.code.count + 2)
      let summary = MarkdownWords(blocks.summary, text.style).lines(width: .max)
      list += "  \(text.style.bold("\(entry.code)"))\(gap)\(summary.map(\.text).joined())\n"
    }
    return list
  }
}
