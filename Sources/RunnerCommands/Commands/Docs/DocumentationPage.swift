import EmbeddedDocuments
import Platform
import RunnerShared
import ScriptValue

/// A page of the documentation that is embedded in the runner.
struct DocumentationPage {
  /// The name of the page's file, without `.md`; `guide` for the guide's contents.
  let topic: String
  let text: String

  private init(_ topic: String) {
    self.topic = topic
    text = String(decoding: embedded(documentation_file(topic)), as: UTF8.self)
  }

  var blocks: [MarkdownBlock] { MarkdownBlock.blocks(of: text) }

  /// The text of the page's first heading.
  var title: String {
    for case .heading(level: 1, let text) in blocks { return text }
    return topic
  }

  static func named(_ topic: String) -> DocumentationPage? { all.first { $0.topic == topic } }

  /// The pages of the guide in the order in which one reads them, and those to look things up in.
  static var all: [DocumentationPage] { guide + references }

  static let guide = [
    "guide", "getting-started", "tutorial", "state-and-drafts", "actions", "composition", "effects",
    "dependencies", "testing", "navigation", "forms", "shared-state", "views", "recipes",
    "hot-reload", "debugging", "durable-stores", "performance", "untrusted-scripts", "from-tca",
    "from-redux", "glossary", "warnings",
  ].map { DocumentationPage($0) }

  static let references = [
    "script-api", "view-api", "runner", "serve", "journal", "busted", "security",
  ].map { DocumentationPage($0) }

  /// Pages of the folder `docs` that embedded ones link to, with the readers for whom they are.
  static let notEmbedded = [
    "architecture": "those who change the project",
    "lua-bridge": "programs in Swift",
    "swift-api": "programs in Swift",
    "wire-format": "clients other than the page of `runner serve`",
  ]
}

extension DocumentationPage {
  /// A line of a page, with the last heading above it.
  struct Occurrence: Equatable {
    let heading: String
    let line: String
  }

  /// The lines that have the word, in whatever case.
  func occurrences(of word: String) -> [Occurrence] {
    let word = word.lowercased()
    var heading = ""
    var isCode = false
    return text.split(separator: "\n").compactMap { line in
      if line.hasPrefix("```") {
        isCode.toggle()
        return nil
      }
      if !isCode, line.hasPrefix("#") { heading = String(line.drop { $0 == "#" }).trimmed }
      guard line.lowercased().contains(word) else { return nil }
      return Occurrence(heading: heading, line: line.trimmed)
    }
  }
}
