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
    DocumentationPage("guide", PackageResources.README_md),
    DocumentationPage("getting-started", PackageResources.getting_started_md),
    DocumentationPage("tutorial", PackageResources.tutorial_md),
    DocumentationPage("state-and-drafts", PackageResources.state_and_drafts_md),
    DocumentationPage("actions", PackageResources.actions_md),
    DocumentationPage("composition", PackageResources.composition_md),
    DocumentationPage("effects", PackageResources.effects_md),
    DocumentationPage("dependencies", PackageResources.dependencies_md),
    DocumentationPage("testing", PackageResources.testing_md),
    DocumentationPage("navigation", PackageResources.navigation_md),
    DocumentationPage("forms", PackageResources.forms_md),
    DocumentationPage("shared-state", PackageResources.shared_state_md),
    DocumentationPage("views", PackageResources.views_md),
    DocumentationPage("hot-reload", PackageResources.hot_reload_md),
    DocumentationPage("debugging", PackageResources.debugging_md),
    DocumentationPage("performance", PackageResources.performance_md),
    DocumentationPage("untrusted-scripts", PackageResources.untrusted_scripts_md),
    DocumentationPage("from-tca", PackageResources.from_tca_md),
    DocumentationPage("from-redux", PackageResources.from_redux_md),
    DocumentationPage("glossary", PackageResources.glossary_md),
    DocumentationPage("warnings", PackageResources.warnings_md),
  ]

  static let references = [
    DocumentationPage("script-api", PackageResources.script_api_md),
    DocumentationPage("view-api", PackageResources.view_api_md),
    DocumentationPage("runner", PackageResources.runner_md),
    DocumentationPage("serve", PackageResources.serve_md),
    DocumentationPage("busted", PackageResources.busted_md),
    DocumentationPage("security", PackageResources.security_md),
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
