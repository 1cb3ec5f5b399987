/// Writes elements to lines, indented by how deep they are.
struct HTMLWriter {
  private(set) var html = ""
  private var depth = 0
  /// Deeper lines are not indented more, so that the drawing grows with the tree only.
  private static let deepest = 40

  /// An element on one line.
  mutating func line(_ element: HTMLElement) { line(element.html) }

  /// The start tag of an element. The lines until its end tag are inside of it.
  mutating func open(_ element: HTMLElement) {
    line(element.startTag)
    depth += 1
  }

  mutating func close(_ element: HTMLElement) {
    depth -= 1
    line(element.endTag)
  }

  private mutating func line(_ text: String) {
    if !html.isEmpty { html.append("\n") }
    for _ in 0..<min(depth, HTMLWriter.deepest) { html.append("  ") }
    html += text
  }
}
