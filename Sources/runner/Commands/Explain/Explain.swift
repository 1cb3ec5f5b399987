import ArgumentParser
import ScriptValue

struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain a message by its code.",
    discussion: """
      Warnings and errors have their code behind the first word: warning[unknownAction], or, in the \
      output of runner check, at their end. The entry of a code tells what causes the message, shows \
      it, and says what to do. Without a code all are listed.

      Exit status: 0; 64 for wrong usage, as a code that there is not; 74 when writing fails.
      """)

  @Argument(help: "The code of a message, as unknownAction.")
  var code: String?

  func run() throws {
    StandardStreams.prepare()
    let index = MessageIndex.embedded
    guard let code else { return try StandardStreams.output(Self.list(of: index).bytes) }
    guard let entry = index.entries.first(where: { $0.code == code }) else {
      let hint =
        Suggestion.nearest(to: code, in: index.entries.map(\.code))
        .map { "; did you mean '\($0)'?" } ?? "; runner explain lists all"
      throw fail(.usage, "no message has the code '\(code)'\(hint)")
    }
    try Pager.print(MarkdownText.forOutput.text(of: entry.blocks))
  }

  private static func list(of index: MessageIndex) -> TerminalText {
    let text = MarkdownText.forOutput
    let width = index.entries.map(\.code.count).max() ?? 0
    var list: TerminalText = ""
    var group: String?
    for entry in index.entries {
      if entry.group != group {
        if group != nil { list += "\n" }
        list += text.style.bold("\(entry.group)") + "\n"
        group = entry.group
      }
      let gap = String(repeating: " ", count: width - entry.code.count + 2)
      let summary = MarkdownWords(entry.summary, text.style).lines(width: .max)
      list += "  \(text.style.bold("\(entry.code)"))\(gap)\(summary.map(\.text).joined())\n"
    }
    return list
  }
}
