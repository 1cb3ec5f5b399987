import ScriptValue

/// Why a query did not find the one thing that it is for.
public struct ViewQueryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is the matter.
  public enum Reason: String, Sendable {
    /// There is none.
    case none
    /// There are more than one.
    case several
    /// A presentation covers what matches.
    case covered
    /// There is no such role.
    case role
    /// The row is one of the list, but not in its window.
    case outsideWindow
  }

  public let reason: Reason
  /// What there is on the screen instead, without a full stop.
  public let message: String
  /// The list whose window does not have the row.
  public let list: ViewPath?

  public var description: String { message }

  private init(_ reason: Reason, _ message: String, list: ViewPath? = nil) {
    self.reason = reason
    self.message = message.asMessage
    self.list = list
  }

  init(unknown role: String) {
    self.init(
      .role,
      "there is no role '\(role.shownInMessage)'"
        + Suggestion.hint(for: role, in: ViewQuery.roles, otherwise: "there are"))
  }

  init(covered item: ViewItem, by layer: ViewScreen.Layer) {
    self.init(.covered, layer.covers("the \(item.description)"))
  }

  init(several items: [ViewItem], _ query: ViewQuery) {
    let places = items.prefix(ViewQueryError.listed).map { "\"\($0.location.path)\"" }
    self.init(
      .several,
      "there are \(items.count) \(query.inWords(plural: true)), at "
        + places.joined(separator: ", ") + (items.count > places.count ? ", …" : "")
        + "; say which by a number, or where with `within`")
  }

  init(none query: ViewQuery, in items: [ViewItem], on layer: ViewScreen.Layer) {
    if query.role == "row", let number = query.number,
      let list = items.first(where: { $0.location.hidesRow(number) })?.location,
      let window = list.node.window
    {
      self.init(
        .outsideWindow,
        "row \(number) is not in the window of \(list.designation), which shows \(window.first) to "
          + "\(window.first + window.count - 1) of \(window.total)",
        list: list.path)
      return
    }
    self.init(
      .none,
      "\(layer.designation) has no \(query.inWords(plural: false))"
        + ViewQueryError.hint(query, items))
  }

  /// How many items a message lists.
  private static let listed = 20

  /// What there is: the nearest name of the role, the same name under another role, or all there
  /// is.
  private static func hint(_ query: ViewQuery, _ items: [ViewItem]) -> String {
    let alike = items.filter { $0.role == query.role }
    if let name = query.name {
      let names = alike.compactMap(\.name)
      if let nearest = Suggestion.nearest(to: name, in: names), nearest != name {
        return "; did you mean '\(nearest.shownInMessage)'?"
      }
      if let other = items.first(where: { $0.role != query.role && $0.name == name }) {
        return "; there is a \(other.description)"
      }
    }
    guard !items.isEmpty else { return "; nothing is shown" }
    if alike.isEmpty { return "; there are " + list(items.map(\.description)) }
    return "; there are the \(query.role.inPlural) "
      + list(alike.map { $0.name.map { "'\($0.shownInMessage)'" } ?? "without a name" })
  }

  private static func list(_ names: [String]) -> String {
    var seen: Set<String> = []
    let names = names.filter { seen.insert($0).inserted }
    return names.prefix(listed).joined(separator: ", ") + (names.count > listed ? ", …" : "")
  }
}

extension ViewQuery {
  /// What was looked for: `button 'Add'`, `selected row 3`.
  fileprivate func inWords(plural: Bool) -> String {
    var words = [
      isDisabled.map { $0 ? "disabled" : "enabled" },
      isSelected.map { $0 ? "selected" : "unselected" },
    ]
    .compactMap(\.self)
    words.append(plural ? role.inPlural : role)
    if let name { words.append("'\(name.shownInMessage)'") }
    if let number { words.append("\(plural ? "with the number " : "")\(number)") }
    if let within { words.append("within \"\(within)\"") }
    return words.joined(separator: " ")
  }
}

extension String {
  fileprivate var inPlural: String { hasSuffix("s") ? self : self + "s" }
}

extension ViewLocation {
  /// Whether the list has a row with this number, but not in its window.
  fileprivate func hidesRow(_ number: Int) -> Bool {
    guard isList, let window = node.window, 1...max(window.total, 1) ~= number else { return false }
    return number < window.first || number - window.first >= window.count
  }
}
