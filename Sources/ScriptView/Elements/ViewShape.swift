import ScriptValue

/// A shape of a drawing, as SVG has it: a tag and attributes.
///
/// Views say what to draw as data, `{ kind = "circle", x = 10, y = 10, radius = 5, fill = "accent" }`. A drawing takes
/// only what is here: finite numbers, colours of the theme or of six digits, and paths of letters and numbers. So there
/// is nothing in it that leads out of the drawing, as an address or a style.
package struct ViewShape {
  package let tag: String
  /// In a fixed order.
  package let attributes: [(name: String, value: String)]
  /// What a shape of letters says.
  package let text: String?

  /// What the value of a property must be.
  enum Kind {
    case number
    /// A number that is not negative.
    case size
    /// A number from 0 to 1.
    case part
    case colour, path, anchor, words
  }

  struct Property {
    let name: String
    let kind: Kind
    /// The attribute of SVG; nil for what is no attribute.
    let attribute: String?
    let isOptional: Bool

    init(_ name: String, _ kind: Kind, as attribute: String? = nil, isOptional: Bool = false) {
      self.name = name
      self.kind = kind
      self.attribute = kind == .words ? nil : attribute ?? name
      self.isOptional = isOptional
    }
  }

  /// The colours of the theme.
  package static let colours = [
    "text", "secondary", "accent", "success", "warning", "danger", "line", "fill", "card", "none",
  ]

  /// The shapes, by their kinds.
  private static let forms: [String: [Property]] = [
    "line": ["x1", "y1", "x2", "y2"].map { .init($0, .number) },
    "rect": [
      .init("x", .number), .init("y", .number), .init("width", .size), .init("height", .size),
      .init("radius", .size, as: "rx", isOptional: true),
    ],
    "circle": [
      .init("x", .number, as: "cx"), .init("y", .number, as: "cy"), .init("radius", .size, as: "r"),
    ],
    "path": [.init("d", .path)],
    "text": [
      .init("x", .number), .init("y", .number),
      .init("size", .size, as: "font-size", isOptional: true),
      .init("anchor", .anchor, as: "text-anchor", isOptional: true), .init("text", .words),
    ],
  ]

  /// What all shapes may have.
  private static let common: [Property] = [
    .init("fill", .colour, isOptional: true), .init("stroke", .colour, isOptional: true),
    .init("strokeWidth", .size, as: "stroke-width", isOptional: true),
    .init("opacity", .part, isOptional: true),
  ]

  /// The properties that all shapes share: the kind, the name for screen readers, and the tap.
  private static let ofNodes = ["kind", "label", "onTap", "disabled"]

  package static let kinds: [String] = forms.keys.sorted()

  /// The names that a shape of this kind may have; nil for an unknown kind.
  package static func names(of kind: String) -> [String]? {
    forms[kind].map { ($0 + common).map(\.name) + ofNodes }
  }

  /// The shape of a node of the kind `shape`; nil if it is none.
  init?(_ node: ViewNode) {
    guard let form = node.string("shape"), let own = ViewShape.forms[form] else { return nil }
    var attributes: [(name: String, value: String)] = []
    for property in own + ViewShape.common {
      guard let value = node[property.name] ?? ViewShape.initial(property.name, of: form) else {
        if property.isOptional { continue }
        return nil
      }
      guard ViewShape.fault(of: value, property.kind) == nil else { return nil }
      guard let attribute = property.attribute, let text = value.drawnScalar else { continue }
      attributes.append((attribute, property.kind == .colour ? ViewShape.paint(text) : text))
    }
    tag = form
    self.attributes = attributes
    text = form == "text" ? node.scalar("text") : nil
  }

  /// Lines and paths are drawn, other shapes filled.
  private static func initial(_ property: String, of form: String) -> Value? {
    let isDrawn = form == "line" || form == "path"
    return switch property {
    case "fill": isDrawn ? "none" : "text"
    case "stroke": isDrawn ? "text" : "none"
    default: nil
    }
  }

  /// A colour as SVG has it. Colours of the theme are properties of the page's style sheet.
  private static func paint(_ colour: String) -> String {
    colour.hasPrefix("#") || colour == "none" ? colour : "var(--\(colour), currentColor)"
  }
}

// MARK: What is wrong with data

extension ViewShape {
  /// What is wrong with the data of a shape, as a message goes on after the shape's name; nil if nothing is.
  package static func fault(of data: Value) -> String? {
    guard let object = data.object else { return "is no table with a kind" }
    guard let kind = object["kind"]?.string else {
      return "has no kind; it may be \(choice(kinds))"
    }
    guard let form = forms[kind] else {
      return "is of the kind \"\(kind)\"; it may be \(choice(kinds))"
    }
    let known = form + common
    for (name, value) in object where !value.isNull {
      if let property = known.first(where: { $0.name == name }) {
        if let fault = fault(of: value, property.kind) { return "has a wrong \(name): \(fault)" }
      } else if let fault = fault(ofNodeProperty: name, value) {
        return "has a wrong \(name): \(fault)"
      } else if !ofNodes.contains(name) {
        return "is a \(kind), which has no property '\(name)'"
          + Suggestion.hint(for: name, in: names(of: kind) ?? [], otherwise: "it has")
      }
    }
    let missing = form.first { !$0.isOptional && (object[$0.name] ?? .null).isNull }
    return missing.map { "is a \(kind) without \($0.name)" }
  }

  /// Why the value of a property cannot be drawn; nil if it can, and for names that are checked elsewhere.
  package static func fault(of value: Value, _ property: String, of kind: String) -> String? {
    ((forms[kind] ?? []) + common).first { $0.name == property }
      .flatMap { fault(of: value, $0.kind) }
  }

  private static func fault(ofNodeProperty name: String, _ value: Value) -> String? {
    switch name {
    case "label": value.drawnScalar == nil ? "it is a text or a number" : nil
    case "disabled": value.bool == nil ? "it is true or false" : nil
    case "onTap":
      value.string == nil && value.array == nil && value.object == nil ? "it is an action" : nil
    default: nil
    }
  }

  private static func fault(of value: Value, _ kind: Kind) -> String? {
    switch kind {
    case .number: isFinite(value) ? nil : "it is a finite number"
    case .size: isFinite(value) && (value.double ?? -1) >= 0 ? nil : "it is a number from 0"
    case .part:
      isFinite(value) && 0...1 ~= (value.double ?? -1) ? nil : "it is a number from 0 to 1"
    case .words: value.drawnScalar == nil ? "it is a text or a number" : nil
    case .anchor:
      ["start", "middle", "end"].contains(value.string)
        ? nil : "it is \"start\", \"middle\" or \"end\""
    case .colour:
      value.string.map(isColour) == true ? nil : "it is #rrggbb, or \(choice(colours))"
    case .path:
      value.string.map(isPath) == true
        ? nil
        : "it is the path of SVG: M and the like with numbers, of \(longestPath) bytes at most"
    }
  }

  private static func isFinite(_ value: Value) -> Bool { value.double?.isFinite == true }

  private static func isColour(_ text: String) -> Bool {
    if colours.contains(text) { return true }
    let digits = text.utf8.dropFirst()
    return text.utf8.first == UInt8(ascii: "#") && digits.count == 6
      && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
  }

  private static let longestPath = 1 << 16

  private static func isPath(_ text: String) -> Bool {
    text.utf8.count <= longestPath && ["M", "m"].contains(text.first)
      && text.utf8.allSatisfy { pathLetters.contains($0) }
  }

  private static let pathLetters = Set("MmLlHhVvCcSsQqTtAaZz0123456789eE.,+- \n".utf8)

  private static func choice(_ words: [String]) -> String {
    words.map { "\"\($0)\"" }.joined(separator: ", ")
  }
}
