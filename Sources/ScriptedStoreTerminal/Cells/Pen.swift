import ScriptView

/// How a cell of a terminal is written: attributes, and one of the eight colours that the person has
/// chosen for the terminal.
struct Pen: Hashable, Sendable {
  struct Attributes: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let bold = Attributes(rawValue: 1 << 0)
    static let dim = Attributes(rawValue: 1 << 1)
    static let reverse = Attributes(rawValue: 1 << 2)

    /// The attributes with their parameters in an SGR sequence.
    static let codes: [(attribute: Attributes, code: String)] = [
      (.bold, "1"), (.dim, "2"), (.reverse, "7"),
    ]
  }

  enum Color: String, Sendable {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
    case usual = "39"
  }

  var attributes: Attributes = []
  var color = Color.usual

  static let usual = Pen()

  /// The escape sequence that changes another pen into this one; empty if they are the same.
  func sequence(from old: Pen) -> String {
    guard self != old else { return "" }
    if self == .usual { return "\u{1B}[m" }
    var codes: [String] = []
    var known = old
    // Attributes are only taken away all together.
    if !old.attributes.isSubset(of: attributes) {
      codes.append("0")
      known = .usual
    }
    for (attribute, code) in Attributes.codes
    where attributes.contains(attribute) && !known.attributes.contains(attribute) {
      codes.append(code)
    }
    if color != known.color { codes.append(color.rawValue) }
    return "\u{1B}[\(codes.joined(separator: ";"))m"
  }
}

extension Pen {
  /// The pen for what a drawing means. Everything can be told apart without colour, too.
  init(_ style: Canvas.Style, takesColor: Bool) {
    if !style.isDisjoint(with: [.title, .headline, .selected]) { attributes.insert(.bold) }
    if !style.isDisjoint(with: [.caption, .placeholder, .disabled, .rule, .secondary]) {
      attributes.insert(.dim)
    }
    guard takesColor, !style.contains(.disabled) else { return }
    if style.contains(.danger) {
      color = .red
    } else if style.contains(.warning) {
      color = .yellow
    } else if style.contains(.success) {
      color = .green
    } else if !style.isDisjoint(with: [.accent, .title]) {
      color = .cyan
    }
  }
}
