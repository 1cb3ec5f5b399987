/// Text of Swift that knows which line of a script each of its lines comes from.
struct SwiftText {
  struct Line {
    let text: String
    let source: SourceLine?
  }

  /// In front of each declaration: `public `, `package ` or nothing.
  let access: String
  private(set) var lines: [Line] = []
  private var indent = 0
  private var source: SourceLine?

  init(_ access: SwiftTypes.Access) {
    self.access = access == .internal ? "" : access.rawValue + " "
  }

  var text: String { lines.map { $0.text + "\n" }.joined() }

  mutating func line(_ text: String, from source: SourceLine? = nil) {
    let text = text.isEmpty ? "" : String(repeating: "  ", count: indent) + text
    lines.append(Line(text: text, source: source ?? self.source))
  }

  mutating func blankLine() { line("") }

  /// A block in braces, whose lines come from `source` unless they say otherwise.
  mutating func block(
    _ head: String, from source: SourceLine? = nil, _ body: (inout SwiftText) -> Void
  ) {
    let outer = self.source
    self.source = source ?? outer
    defer { self.source = outer }
    line(head + " {")
    indent += 1
    body(&self)
    indent -= 1
    line("}")
  }

  /// A list of items in brackets: on one line if that has a hundred characters at most, else one item
  /// a line.
  mutating func list(_ head: String, _ items: [String], _ tail: String, from source: SourceLine?) {
    let short = head + items.joined(separator: ", ") + tail
    guard indent * 2 + short.count > 100, !items.isEmpty else { return line(short, from: source) }
    line(head, from: source)
    indent += 1
    for (index, item) in items.enumerated() {
      line(index + 1 < items.count ? item + "," : item, from: source)
    }
    indent -= 1
    line(tail, from: source)
  }
}
