import ScriptValue

/// An element of HTML on one line: its tag, its attributes, and what is in it.
struct HTMLElement {
  private let tag: String
  private var attributes = ""
  private var content = ""

  init(_ tag: String) { self.tag = tag }

  /// An element with a text.
  init(_ tag: String, text: String) {
    self.init(tag)
    append(text: text)
  }

  // MARK: Attributes

  /// Adds an attribute with a text of a state, or of the drawing itself; none for nil.
  mutating func set(_ name: String, _ value: String?) {
    guard let value else { return }
    attributes += " \(name)=\"\(HTMLElement.escaped(value, lineBreak: "&#10;"))\""
  }

  /// Adds an attribute that is there or not.
  mutating func set(_ name: String, if isSet: Bool) {
    if isSet { attributes += " " + name }
  }

  // MARK: Content

  mutating func append(text: String) {
    content += HTMLElement.escaped(
      text, lineBreak: HTMLElement.rawText.contains(tag) ? "&#10;" : "<br>")
  }

  mutating func append(_ element: HTMLElement) { content += element.html }

  // MARK: As HTML

  var startTag: String { "<\(tag)\(attributes)>" }

  var endTag: String { "</\(tag)>" }

  var html: String {
    HTMLElement.void.contains(tag) ? startTag : startTag + content + endTag
  }

  private static let void: Set<String> = ["img", "input", "hr", "br"]
  /// In which a tag would be shown as text.
  private static let rawText: Set<String> = ["textarea", "option"]

  /// A text as it stands in HTML: visible, cut if it is long, and without characters that HTML
  /// reads.
  private static func escaped(_ text: String, lineBreak: String) -> String {
    let visible = DrawnText(text, keepsLines: true).withNote
    guard visible.utf8.contains(where: { special.contains($0) }) else { return visible }
    var html = ""
    html.reserveCapacity(visible.utf8.count + 16)
    for scalar in visible.unicodeScalars {
      switch scalar {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "\"": html += "&quot;"
      case "'": html += "&#39;"
      case "\n": html += lineBreak
      default: html.unicodeScalars.append(scalar)
      }
    }
    return html
  }

  private static let special = Set("&<>\"'\n".utf8)
}

/// Writes elements to lines, indented by how deep they are.
struct HTMLWriter {
  private(set) var html = ""
  private var depth = 0
  /// Deeper lines are not indented more, so that the drawing grows with the tree only.
  private static let deepest = 40

  /// An element on one line.
  mutating func line(_ element: HTMLElement) { line(element.html) }

  /// Writes the start tag of an element. All lines up to its end tag are its content.
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
