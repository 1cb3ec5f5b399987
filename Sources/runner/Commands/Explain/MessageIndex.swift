/// The entries of the page `warnings` of the guide, by their codes.
struct MessageIndex {
  struct Entry {
    let code: String
    /// The heading of the part of the page that has the entry.
    let group: String
    /// With the entry's own heading.
    let blocks: [MarkdownBlock]

    /// The first sentence of the entry.
    var summary: String {
      for case .paragraph(let text) in blocks {
        return text.firstRange(of: ". ").map { String(text[..<$0.lowerBound]) + "." } ?? text
      }
      return ""
    }
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

  /// The index of the page in this program.
  static var embedded: MessageIndex {
    MessageIndex(DocumentationPage.named("warnings")?.blocks ?? [])
  }
}
