import RunnerShared
import ScriptValue

/// An element of an XML report.
struct XMLElement {
  let name: String
  let attributes: [(name: String, value: String)]
  let text: String
  var children: [XMLElement]

  init(
    _ name: String, _ attributes: [(String, String)] = [], text: String = "",
    children: [XMLElement] = []
  ) {
    self.name = name
    self.attributes = attributes
    self.text = text
    self.children = children
  }

  /// Writes the element and its children, each level indented by two spaces.
  func write(to output: inout String, indent: Int = 0) {
    let space = String(repeating: " ", count: indent)
    output += "\(space)<\(name)"
    for (name, value) in attributes {
      output += " \(name)=\"\(Self.escaped(value, isAttribute: true))\""
    }
    guard !children.isEmpty || !text.isEmpty else {
      output += "/>\n"
      return
    }
    output += ">"
    if !text.isEmpty { output += Self.escaped(text, isAttribute: false) }
    if !children.isEmpty {
      output += "\n"
      for child in children { child.write(to: &output, indent: indent + 2) }
      output += space
    }
    output += "</\(name)>\n"
  }

  /// XML cannot represent most control characters. They become U+FFFD.
  private static func escaped(_ text: String, isAttribute: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"" where isAttribute: result += "&quot;"
      case "\n" where isAttribute, "\t" where isAttribute, "\r":
        result += "&#\(scalar.value);"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      // Characters that a terminal may interpret, if the report goes to one.
      case _ where VisibleText.isHidden(scalar): result += "&#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
