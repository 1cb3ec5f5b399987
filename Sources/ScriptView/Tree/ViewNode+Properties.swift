import ScriptValue

extension ViewNode {
  /// A property; nil if it is absent or null.
  public subscript(name: String) -> Value? {
    guard case .object(let object) = value, let found = object[name], !found.isNull else {
      return nil
    }
    return found
  }

  /// A property that is a text or a number, as it is drawn.
  public func scalar(_ name: String) -> String? { self[name]?.drawnScalar }

  /// A property that is a text.
  public func string(_ name: String) -> String? { self[name]?.string }

  /// A property that is a number.
  public func number(_ name: String) -> Double? { self[name]?.double }

  /// A property that is a number, as a whole one between two bounds.
  func wholeNumber(_ name: String, in range: ClosedRange<Int>) -> Int? {
    number(name).map { Int($0, in: range) }
  }

  /// Whether a property is `true`.
  public func isSet(_ name: String) -> Bool { self[name]?.bool == true }

  /// A property that is one of the words that the element knows.
  public func word(_ name: String) -> String? {
    guard let text = string(name), case .word(let words)? = element?.property(name)?.kind,
      words.contains(text)
    else { return nil }
    return text
  }

  /// The element's own text: `text`, or the node itself if it is a string or a number.
  public var text: String? { value.drawnScalar ?? scalar("text") }

  /// What names a control: its `label`, or its own text.
  public var label: String? { scalar("label") ?? text }

  /// The label, unless a property hides it.
  var shownLabel: String? { isSet("labelHidden") ? nil : scalar("label") }

  /// What names the node for someone who does not see it: its label, or the title that it shows.
  /// Nil if it is empty.
  public var name: String? {
    let name = label ?? scalar("title")
    return name?.contains { !$0.isWhitespace } == true ? name : nil
  }

  /// Whether the node is there for its looks only, so that it needs no name.
  public var isDecorative: Bool { isSet("decorative") }
}

extension Int {
  /// The whole part of a number, brought between two bounds; the lower bound for NaN. `Int(_:)` stops the process for
  /// numbers that it cannot hold, and numbers of trees may be any.
  init(_ number: Double, in range: ClosedRange<Int>) {
    if number >= Double(range.upperBound) {
      self = range.upperBound
    } else {
      self = number > Double(range.lowerBound) ? Int(number) : range.lowerBound
    }
  }
}

extension Value {
  /// A string as it is, and a number as it is drawn: without `.0`, because `1` and `1.0` are equal.
  /// Nil for all other values.
  package var drawnScalar: String? {
    switch self {
    case .string(let text): text
    case .integer(let number): String(number)
    case .float(let number): Int64(exactly: number).map(String.init) ?? String(number)
    default: nil
    }
  }
}
