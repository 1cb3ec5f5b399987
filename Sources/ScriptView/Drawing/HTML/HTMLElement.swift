import ScriptValue

/// An element of HTML on one line: its tag, its attributes, and what is in it.
struct HTMLElement {
  private let tag: String
  private var attributes = ""
  private var content = ""

  /// An attribute whose value is nil is left out.
  init(_ tag: String, _ attributes: KeyValuePairs<String, String?> = [:], text: String = "") {
    self.tag = tag
    for (name, value) in attributes { set(name, value) }
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
    var html = ""
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
}
