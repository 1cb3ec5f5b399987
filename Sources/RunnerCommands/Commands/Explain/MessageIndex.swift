import RunnerShared

/// The entries of the page `warnings` of the guide, by their codes, and one of what the page `journal` says about messages.
struct MessageIndex {
  struct Entry {
    let code: String
    /// The heading of the part of the page that has the entry.
    let group: String
    /// With the entry's own heading.
    fileprivate(set) var blocks: [MarkdownBlock]

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

    /// The entry as a whole.
    var whole: Found { (self, blocks) }
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
      } else if isInEntry {
        entries[entries.count - 1].blocks.append(block)
      }
    }
    self.entries = entries
  }

  /// Where a text was found: in the whole entry, or in one of its parts.
  typealias Found = (entry: Entry, blocks: [MarkdownBlock])

  /// The parts of entries that have a text, in whatever case. If none has it, those that have all its words; and if none
  /// has those, the ones that have the most of its words in a row, because a message has names and numbers where the
  /// example of the entry has others. A message that names its code, as `warning[locked]: …`, is looked up by that.
  ///
  /// The place in front of a message, as `error: scripts/a.lua:7:`, is left out.
  func find(_ message: String) -> [Found] {
    let text = message.replacing(#/^.*?\.lua:[0-9]+(:[0-9]+)?: /#, with: "")
    if let named = entries.first(where: { message.contains("[\($0.code)]") }) {
      return [named.whole]
    }
    let whole = found { $0.contains(text.lowercased()) }
    guard whole.isEmpty else { return whole }
    let words = Self.words(of: text.lowercased())
    guard !words.isEmpty else { return [] }
    let all = found { Set(words).isSubset(of: Set(Self.words(of: $0))) }
    return all.isEmpty ? nearest(to: words) : all
  }

  /// Fewer words in a row are no sign that a message is meant.
  private static let fewestInARow = 4

  private func nearest(to words: [Substring]) -> [Found] {
    let all = found { _ in true }
    let lengths = all.map { part in
      Self.longestRun(of: words, in: Self.words(of: Self.text(of: part.blocks).lowercased()))
    }
    guard let most = lengths.max(), most >= Self.fewestInARow else { return [] }
    return zip(all, lengths).filter { $0.1 == most }.map(\.0)
  }

  /// The largest number of words in a row that both lists have.
  private static func longestRun(of words: [Substring], in others: [Substring]) -> Int {
    var longest = 0
    // For each word of `words`, the length of the run that ends with it and with the previous word of `others`.
    var runs = [Int](repeating: 0, count: words.count + 1)
    for other in others {
      for index in words.indices.reversed() {
        runs[index + 1] = words[index] == other ? runs[index] + 1 : 0
        longest = max(longest, runs[index + 1])
      }
    }
    return longest
  }

  private func found(_ isMatch: (String) -> Bool) -> [Found] {
    entries.flatMap { entry in
      entry.parts.filter { isMatch(Self.text(of: $0).lowercased()) }
        .map { (entry, $0) }
    }
  }

  private static func words(of text: String) -> [Substring] {
    text.split { !$0.isLetter && !$0.isNumber }
  }

  private static func text(of blocks: [MarkdownBlock]) -> String {
    blocks.map(\.plainText).joined(separator: "\n")
  }

  /// The index of the pages in this program.
  static var embedded: MessageIndex {
    MessageIndex(
      (DocumentationPage.named("warnings")?.blocks ?? [])
        + (DocumentationPage.named("journal")?.blocks.messages ?? []))
  }
}

extension [MarkdownBlock] {
  /// The entry of the messages of journals, of which the page `journal` has a table: a part for each row.
  fileprivate var messages: [MarkdownBlock] {
    guard let start = firstIndex(of: .heading(level: 2, text: "Messages")) else { return [] }
    for case .table(let rows) in self[start...] {
      let parts = rows.dropFirst().flatMap { row -> [MarkdownBlock] in
        [
          .heading(level: 4, text: row[0]), .paragraph("It means: \(row[1])."),
          .paragraph("What to do: \(row[2])."),
        ]
      }
      return [
        .heading(level: 2, text: "Durable stores"), .heading(level: 3, text: "journal"),
        .paragraph("A journal of durable stores cannot be opened, read or written."),
      ] + parts
    }
    return []
  }

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
