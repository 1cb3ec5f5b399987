/// The entries of the page `warnings` of the guide, by their codes.
struct MessageIndex {
  struct Entry {
    let code: String
    /// The heading of the part of the page that has the entry.
    let group: String
    /// With the entry's own heading.
    let blocks: [MarkdownBlock]

    /// The parts of the entry, which headings of the fourth level divide.
    var parts: [[MarkdownBlock]] {
      blocks.reduce(into: []) { parts, block in
        if case .heading(level: 4, _) = block {
          parts.append([block])
        } else {
          parts.isEmpty ? parts.append([block]) : parts[parts.count - 1].append(block)
        }
      }
    }

    /// The first sentence of the entry.
    var summary: String { blocks.summary }
  }

  let entries: [Entry]

  /// Headings of the third level are codes.
  init(_ blocks: [MarkdownBlock]) {
    var entries: [Entry] = []
    var group = ""
    var isInEntry = false
    for block in blocks {
      if case .heading(let level, let text) = block, level <= 3 {
        isInEntry = level == 3
        if isInEntry {
          entries.append(Entry(code: text, group: group, blocks: [block]))
        } else {
          group = text
        }
      } else if isInEntry, let last = entries.last {
        entries[entries.count - 1] = Entry(
          code: last.code, group: group, blocks: last.blocks + [block])
      }
    }
    self.entries = entries
  }

  /// Where a text was found: in the whole entry, or in one of its parts.
  struct Found {
    let entry: Entry
    let blocks: [MarkdownBlock]
  }

  /// The parts of entries that have a text, in whatever case. If none has it, those that have all its words. A message
  /// that names its code, as `warning[locked]: …`, is looked up by that.
  func find(_ text: String) -> [Found] {
    if let named = entries.first(where: { text.contains("[\($0.code)]") }) {
      return [Found(entry: named, blocks: named.blocks)]
    }
    let whole = found { $0.contains(text.lowercased()) }
    guard whole.isEmpty else { return whole }
    let words = Self.words(of: text.lowercased())
    return words.isEmpty ? [] : found { words.isSubset(of: Self.words(of: $0)) }
  }

  private func found(_ isMatch: (String) -> Bool) -> [Found] {
    entries.flatMap { entry in
      entry.parts.filter { isMatch(Self.text(of: $0).lowercased()) }
        .map { Found(entry: entry, blocks: $0) }
    }
  }

  private static func words(of text: String) -> Set<Substring> {
    Set(text.split { !$0.isLetter && !$0.isNumber })
  }

  private static func text(of blocks: [MarkdownBlock]) -> String {
    blocks.map(\.plainText).joined(separator: "\n")
  }

  /// The index of the page in this program.
  static var embedded: MessageIndex {
    MessageIndex(DocumentationPage.named("warnings")?.blocks ?? [])
  }
}

extension [MarkdownBlock] {
  /// The first sentence.
  var summary: String {
    for case .paragraph(let text) in self {
      return text.firstRange(of: ". ").map { String(text[..<$0.lowerBound]) + "." } ?? text
    }
    return ""
  }
}

extension MarkdownBlock {
  /// The text as one searches for it.
  fileprivate var plainText: String {
    switch self {
    case .heading(_, let text), .paragraph(let text), .item(_, _, let text): text
    case .code(let lines): lines.joined(separator: "\n")
    case .table(let rows): rows.joined().joined(separator: " ")
    }
  }
}
