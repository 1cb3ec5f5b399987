import ScriptValue

/// What to find on a screen.
public struct ViewQuery: Sendable, Hashable {
  /// A role of ``ViewItem``.
  public var role: String
  /// What it is called.
  public var name: String?
  /// Which one of those with the role and name, from 1. Of rows: the number in the list.
  public var number: Int?
  /// The node in which it is.
  public var within: ViewPath?
  public var isSelected: Bool?
  public var isDisabled: Bool?

  public init(
    _ role: String, _ name: String? = nil, number: Int? = nil, within: ViewPath? = nil,
    isSelected: Bool? = nil, isDisabled: Bool? = nil
  ) {
    self.role = role
    self.name = name
    self.number = number
    self.within = within
    self.isSelected = isSelected
    self.isDisabled = isDisabled
  }

  func matches(_ item: ViewItem) -> Bool {
    item.role == role && name.map { item.isCalled($0) } != false
      && isSelected.map { item.isSelected == $0 } != false
      && isDisabled.map { item.isDisabled == $0 } != false
  }
}

extension ViewScreen {
  /// What matches on the layer that can be used, in the order of the screen. O(shown nodes).
  public func all(_ query: ViewQuery) throws(ViewQueryError) -> [ViewItem] {
    try query.checkRole()
    return matches(query, in: query.items(of: top))
  }

  /// The only item that matches, or nil if there is none.
  public func query(_ query: ViewQuery) throws(ViewQueryError) -> ViewItem? {
    let found = try all(query)
    guard found.count < 2 else { throw ViewQueryError(several: found, query) }
    return found.first
  }

  /// The only item that matches.
  /// - Throws: ``ViewQueryError`` if there is none or more than one; the message says what there
  ///   is.
  public func find(_ query: ViewQuery) throws(ViewQueryError) -> ViewItem {
    if let item = try self.query(query) { return item }
    for layer in layers.dropLast().reversed() {
      if let item = matches(query, in: query.items(of: layer)).first {
        throw ViewQueryError(covered: item, by: top)
      }
    }
    throw ViewQueryError(none: query, in: query.items(of: top), on: top)
  }

  private func matches(_ query: ViewQuery, in items: [ViewItem]) -> [ViewItem] {
    let found = items.filter { query.matches($0) }
    guard let number = query.number else { return found }
    if query.role == "row" { return found.filter { $0.number == number } }
    return number >= 1 && number <= found.count ? [found[number - 1]] : []
  }
}

extension ViewQuery {
  /// What a layer has inside of `within`.
  fileprivate func items(of layer: ViewScreen.Layer) -> [ViewItem] {
    guard let within else { return layer.content.items }
    // Rows, cells and tabs are known from outside only, so the search begins at the top all the
    // same.
    return layer.content.items.filter { item in
      let path = item.location.path
      guard path.isInside(within) else { return false }
      return path != within || item.option != nil || item.location.node.isLeaf
    }
  }

  fileprivate func checkRole() throws(ViewQueryError) {
    guard !ViewQuery.roles.contains(role) else { return }
    throw ViewQueryError(unknown: role)
  }

  static let roles: [String] =
    // A row of a list has the name of the element `row`, which is no item.
    ViewElement.all.filter { $0.behaviour.isItem || $0.elementKind == .row }.map(\.kind)
    + ["cell", "option", "tab"] + ViewElement.presentations
}

extension ViewNode {
  /// Whether the element has no nodes inside of it.
  fileprivate var isLeaf: Bool { element.map { $0.children != .nodes } ?? children.isEmpty }
}
