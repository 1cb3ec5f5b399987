import ArgumentParser
import Platform
import RunnerShared
import ScriptValue

struct Docs: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "docs",
    abstract: "Read the guide and the references.",
    discussion: """
      Without a topic it lists the pages. A page is shown through $PAGER, or less, on a terminal.

      Exit status: 0; 1 when nothing is found; 64 for wrong usage, as a topic that there is not; 74 \
      when writing fails.
      """)

  @Argument(
    help: ArgumentHelp(
      "A page: getting-started, effects, script-api …; or a part of its name.", valueName: "topic"))
  var words: [String] = []

  @Option(help: "List the lines of all pages, or of the topic's, that have this text.")
  var search: String?

  func run() throws {
    let page = words.isEmpty ? nil : try Self.page(named: words)
    if let search {
      guard !search.trimmed.isEmpty else { throw fail(.usage, "--search needs a word") }
      try find(search, in: page.map { [$0] } ?? DocumentationPage.all)
    } else if let page {
      try Pager.print(MarkdownText.forOutput.text(of: page.blocks))
    } else {
      try StandardStreams.output(Self.contents)
    }
  }

  private static func page(named words: [String]) throws -> DocumentationPage {
    let topic = words.joined(separator: "-")
    let topics = DocumentationPage.all.map(\.topic)
    let known = topics + DocumentationPage.notEmbedded.keys
    // A part of a name is enough where only one page has it: `tca` for `from-tca`.
    let candidates = known.filter { $0.contains(topic) }
    let name = candidates.count == 1 ? candidates[0] : topic
    if let page = DocumentationPage.named(name) { return page }
    if let readers = DocumentationPage.notEmbedded[name] {
      throw fail(
        .usage,
        "the page '\(name)' is for \(readers) and not in this program; it is docs/\(name).md of the "
          + "project")
    }
    let hint = Suggestion.hint(
      for: topic, in: candidates.isEmpty ? topics : candidates.sorted(), otherwise: "there are")
    // What is like no page may be a word of one.
    let isUnlike = candidates.isEmpty && Suggestion.nearest(to: topic, in: topics) == nil
    let search =
      isUnlike
      ? "; runner docs --search '\(words.joined(separator: " "))' finds the lines that have a text"
      : ""
    throw fail(.usage, "there is no page '\(topic)'\(hint)\(search)")
  }

  private static var contents: TerminalText {
    let style = TextStyle.output
    let width = DocumentationPage.all.map(\.topic.count).max() ?? 0
    func lines(_ pages: [DocumentationPage]) -> TerminalText {
      pages.map { page in
        let gap = String(repeating: " ", count: width - page.topic.count + 2)
        return "  \(style.bold("\(page.topic)"))\(gap)\(page.title)\n"
      }.joined()
    }
    return """
      \(style.bold("The guide"))
      \(lines(DocumentationPage.guide))
      \(style.bold("References"))
      \(lines(DocumentationPage.references))
      runner docs TOPIC shows a page, runner docs --search WORD finds a word, and runner explain tells of
      each message by its code.

      """
  }

  private func find(_ word: String, in pages: [DocumentationPage]) throws {
    let style = TextStyle.output
    var text: TerminalText = ""
    for page in pages {
      var heading: String?
      for found in page.occurrences(of: word) {
        if found.heading != heading {
          if !text.isEmpty { text += "\n" }
          text += "\(style.bold("\(page.topic)")): \(style.bold("\(found.heading)"))\n"
          heading = found.heading
        }
        text += "    \(found.line)\n"
      }
    }
    guard !text.isEmpty else { throw fail(.failure, "no page has '\(word)'") }
    try Pager.print(text)
  }
}

extension MarkdownText {
  /// For standard output: in colours and as wide as the terminal, up to what one reads with ease.
  static var forOutput: MarkdownText {
    let isTerminal = StandardStreams.outputIsTerminal
    return MarkdownText(
      style: .output,
      width: isTerminal ? max(min(TerminalWindow.size.columns, 110), 20) : 80)
  }
}

/// Prints a long text: through `$PAGER`, or less, on a terminal, and as it is elsewhere.
enum Pager {
  static func print(_ text: TerminalText) throws {
    guard StandardStreams.outputIsTerminal, !StandardStreams.terminalIsDumb,
      show(text, with: program)
    else { return try StandardStreams.output(text) }
  }

  private static var program: String {
    let chosen = StandardStreams.environment("PAGER")
    return chosen.isEmpty ? "less" : chosen
  }

  /// Returns false if the shell does not find the program.
  private static func show(_ text: TerminalText, with program: String) -> Bool {
    // As git does: less ends by itself if all is on the screen, shows colours, and leaves the text
    // on the screen.
    setenv("LESS", "FRX", 0)
    guard let pager = popen(program, "w") else { return false }
    // Ctrl-C is for the pager, which has the terminal until it ends.
    let handler = signal(SIGINT, SIG_IGN)
    defer { signal(SIGINT, handler) }
    let bytes = text.bytes
    fwrite(bytes, 1, bytes.count, pager)
    let status = pclose(pager)
    let notFound: Int32 = 127
    return (status >> 8) & 0xFF != notFound
  }
}
