import ScriptView

/// Ids of rows, as a page has them.
///
/// JavaScript's numbers are doubles. A number that none of them holds exactly is sent as a NUL and its
/// text, and so is a string that begins with a NUL. So different ids stay different, and a page sends
/// back what it has got.
enum WireID {
  private static let mark: Character = "\u{0}"

  /// The id as it is sent.
  static func value(of id: Value) -> Value {
    switch id {
    case .string(let text): text.first == mark ? .string("\(mark)\(text)") : id
    case .integer(let number):
      abs(Double(number)) < largestExact ? id : .string("\(mark)\(number)")
    case .float(let number):
      number.isFinite
        ? Int64(exactly: number).map { value(of: .integer($0)) } ?? id : .string("\(mark)\(number)")
    default: id
    }
  }

  /// The id that ``value(of:)`` was made of.
  static func id(_ value: Value) -> Value {
    guard case .string(let text) = value, text.first == mark else { return value }
    let rest = String(text.dropFirst())
    if rest.first == mark { return .string(rest) }
    if let number = Int64(rest) { return .integer(number) }
    return Double(rest).map { .float($0) } ?? value
  }

  /// All whole numbers below it are doubles.
  static let largestExact = 0x1p53

  /// The path with the ids that were sent; nil if the value is no path.
  static func path(_ value: Value) -> ViewPath? {
    ViewPath(value).map(path)
  }

  private static func path(_ path: ViewPath) -> ViewPath {
    var path = path
    for index in path.steps.indices {
      guard case .row(var row) = path.steps[index] else { continue }
      row.id = id(row.id)
      path.steps[index] = .row(row)
    }
    return path
  }

  /// The gesture with the ids that were sent; nil if the value is no gesture.
  static func gesture(_ value: Value) -> ViewGesture? {
    switch ViewGesture(value) {
    case .select(let row?): .select(id(row))
    case .delete(let rows): .delete(rows.map(id))
    case .move(let rows, let target, let list):
      .move(rows.map(id), to: target, into: list.map(path))
    case let gesture: gesture
    }
  }
}
