import EmbeddedDocuments
import Platform
import RunnerShared
import ScriptValue

/// A page of the documentation that is embedded in the runner.
struct DocumentationPage {
  /// The name of the page's file, without `.md`; `guide` for the guide's contents.
  let topic: String
  let text: String

  private init(_ topic: String, _ text: [UInt8]) {
    self.topic = topic
    self.text = String(decoding: text, as: UTF8.self)
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
    DocumentationPage("guide", embedded(document_guide)),
    DocumentationPage("getting-started", embedded(document_getting_started)),
    DocumentationPage("tutorial", embedded(document_tutorial)),
    DocumentationPage("state-and-drafts", embedded(document_state_and_drafts)),
    DocumentationPage("actions", embedded(document_actions)),
    DocumentationPage("composition", embedded(document_composition)),
    DocumentationPage("effects", embedded(document_effects)),
    DocumentationPage("dependencies", embedded(document_dependencies)),
    DocumentationPage("testing", embedded(document_testing)),
    DocumentationPage("navigation", embedded(document_navigation)),
    DocumentationPage("forms", embedded(document_forms)),
    DocumentationPage("shared-state", embedded(document_shared_state)),
    DocumentationPage("views", embedded(document_views)),
    DocumentationPage("recipes", embedded(document_recipes)),
    DocumentationPage("hot-reload", embedded(document_hot_reload)),
    DocumentationPage("debugging", embedded(document_debugging)),
    DocumentationPage("durable-stores", embedded(document_durable_stores)),
    DocumentationPage("performance", embedded(document_performance)),
    DocumentationPage("untrusted-scripts", embedded(document_untrusted_scripts)),
    DocumentationPage("from-tca", embedded(document_from_tca)),
    DocumentationPage("from-redux", embedded(document_from_redux)),
    DocumentationPage("glossary", embedded(document_glossary)),
    DocumentationPage("warnings", embedded(document_warnings)),
  ]

  static let references = [
    DocumentationPage("script-api", embedded(document_script_api)),
    DocumentationPage("view-api", embedded(document_view_api)),
    DocumentationPage("runner", embedded(document_runner)),
    DocumentationPage("serve", embedded(document_serve)),
    DocumentationPage("journal", embedded(document_journal)),
    DocumentationPage("busted", embedded(document_busted)),
    DocumentationPage("security", embedded(document_security)),
  ]

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
