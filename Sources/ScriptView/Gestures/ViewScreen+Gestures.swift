import ScriptValue

extension ViewScreen {
  /// What follows if a person does something with the node at a path.
  ///
  /// `dismiss` closes the topmost presentation, `back` goes back in the innermost navigation and
  /// `press` uses the node with the shortcut; they need no path.
  ///
  /// What tabs and disclosures without a binding may show can be used, because only the person knows
  /// what they do show.
  ///
  /// The cost is O(shown nodes) for these three and for rows of a list, otherwise O(depth).
  /// - Throws: ``ViewRefusal`` if a person could not do it.
  public func perform(
    _ gesture: ViewGesture, at path: ViewPath = .root
  ) throws(ViewRefusal) -> ViewOutcome {
    var paths = [path]
    if case .move(_, _, let list?) = gesture { paths.append(list) }
    return try seen(at: paths).respond(to: gesture, at: path)
  }

  private func respond(
    to gesture: ViewGesture, at path: ViewPath
  ) throws(ViewRefusal) -> ViewOutcome {
    switch gesture {
    case .dismiss: try dismiss(path)
    case .back: try goBack()
    case .press(let shortcut): try press(shortcut)
    case .move(let ids, let row, let list?): try usable(path).move(ids, to: row, into: usable(list))
    default: try usable(path).perform(gesture)
    }
  }

  /// The node at a path, if it is on the screen, not covered, and not disabled.
  private func usable(_ path: ViewPath) throws(ViewRefusal) -> ViewLocation {
    guard let location = location(at: path), (location.tabsOfTab ?? location).isVisible else {
      throw ViewRefusal(.absent, "there is nothing at \"\(path)\" on the screen")
    }
    try checkNotCovered(location)
    if let disabled = location.disabled {
      throw ViewRefusal(
        .disabled,
        "\(location.designation) is disabled"
          + (disabled.path == path ? "" : ", because \(disabled.designation) is"))
    }
    return location
  }

  /// Throws if a presentation covers the node at a path, as what a person scrolls.
  package func requireUncovered(_ path: ViewPath) throws(ViewRefusal) {
    if let location = location(at: path) { try checkNotCovered(location) }
  }

  private func checkNotCovered(_ location: ViewLocation) throws(ViewRefusal) {
    guard location.layerContent.path != top.content.path else { return }
    throw ViewRefusal(.covered, top.covers(location.designation))
  }

  // MARK: Presentations

  private func dismiss(_ path: ViewPath) throws(ViewRefusal) -> ViewOutcome {
    if path != .root {
      guard let location = location(at: path), location.isVisible else {
        throw ViewRefusal(.absent, "there is nothing at \"\(path)\" on the screen")
      }
      try checkNotCovered(location)
    }
    guard let action = try top.content.dismissal() else {
      throw ViewRefusal(
        .impossible, "there is nothing to dismiss: no sheet, alert or the like is shown")
    }
    return .send(action, transaction: nil)
  }

  private func goBack() throws(ViewRefusal) -> ViewOutcome {
    let innermost = top.innermostNavigation
    if innermost == nil,
      let covered = layers.dropLast().reversed().lazy.compactMap(\.innermostNavigation).first
    {
      throw ViewRefusal(.covered, top.covers("the way back of \(covered.designation)"))
    }
    guard let innermost, let entry = innermost.entries.last, let id = entry.node.row?.id,
      let path = innermost.node.string("action")
    else {
      throw ViewRefusal(.impossible, "there is nothing to go back to: no navigation has an entry")
    }
    let pop: Value = ["type": "popFrom", "id": id]
    let action = try innermost.making("action") { () throws(ActionError) in
      try innermost.nesting(try ViewLocation.nest(pop, in: try ActionPath(path).segments))
    }
    return .send(action, transaction: nil)
  }

  // MARK: Shortcuts

  private func press(_ text: String) throws(ViewRefusal) -> ViewOutcome {
    if let fault = ViewShortcut.fault(of: text) { throw ViewRefusal(.value, fault) }
    let pressed = Shortcut(text)
    let known = top.shortcuts
    let found = known.filter { $0.shortcut == pressed }.map(\.location)
    if let usable = found.first(where: { $0.disabled == nil }) { return try usable.perform(.tap) }
    if let disabled = found.first {
      throw ViewRefusal(.disabled, "\(disabled.designation) is disabled")
    }
    if pressed == Shortcut.escape {
      return layers.count > 1 ? try dismiss(.root) : try goBack()
    }
    for layer in layers.dropLast().reversed() {
      guard let covered = layer.shortcuts.first(where: { $0.shortcut == pressed }) else { continue }
      throw ViewRefusal(
        .covered,
        top.covers(
          "\(covered.location.designation) with the shortcut '\(text.shownInMessage)'"))
    }
    let names =
      known.prefix(20).map(\.text.shownInMessage) + (known.count > 20 ? ["…"] : [])
    let hint = names.isEmpty ? "nothing has one" : "there are " + names.joined(separator: ", ")
    throw ViewRefusal(
      .absent, "nothing on \(top.designation) has the shortcut '\(text.shownInMessage)'; \(hint)")
  }
}

extension ViewScreen.Layer {
  /// The innermost navigation of the layer that has entries; nil if none has.
  fileprivate var innermostNavigation: ViewLocation? {
    content.visible.last { !$0.entries.isEmpty }
  }

  /// The nodes of the layer that have a shortcut, with its text as the script has written it.
  fileprivate var shortcuts: [(location: ViewLocation, text: String, shortcut: Shortcut?)] {
    content.visible.compactMap { location in
      location.node.string("shortcut").map { (location, $0, Shortcut($0)) }
    }
  }
}

extension ViewLocation {
  /// The nodes that can be used by their shortcuts, in the order of the screen, in the layer of
  /// which this is the content. None if `?` is a shortcut there, by which a person would ask for
  /// them.
  package var listedShortcuts: [(location: ViewLocation, text: String)] {
    let all = ViewScreen.Layer(content: self, presentation: nil).shortcuts
    guard !all.contains(where: { $0.shortcut == Shortcut("?") }) else { return [] }
    return all.filter { $0.shortcut != nil && $0.location.disabled == nil }
      .map { ($0.location, $0.text) }
  }

  /// The node that is disabled: this one, or one around it; nil if it can be used. What presents a
  /// sheet does not disable the sheet.
  package var disabled: ViewLocation? { inLayer.first { $0.node.isSet("disabled") } }

  /// The root, or the presented child in which the node is.
  package var layerContent: ViewLocation { inLayer.reduce(self) { $1 } }

  /// The tabs of which this node is a tab, chosen or not.
  var tabsOfTab: ViewLocation? {
    guard !isTransparent, !node.isNothing else { return nil }
    let around = inLayer.dropFirst().first { !$0.isTransparent }
    return around?.node.elementKind == .tabs ? around : nil
  }
}

/// A combination of keys: the modifiers `mod`, `ctrl`, `alt` and `shift` in any order, and a key.
struct Shortcut: Hashable {
  private let modifiers: Set<String>
  private let key: String

  static let escape = Shortcut("escape")

  /// Reads `"mod+shift+n"`; nil for an empty text, and one with a modifier that there is not.
  init?(_ text: String) {
    var text = text.lowercased()
    var key = ""
    // The key itself may be a plus.
    if text.hasSuffix("+") {
      key = "+"
      text.removeLast()
      if text.hasSuffix("+") { text.removeLast() }
    }
    var parts = text.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
    if key.isEmpty { key = parts.removeLast() }
    modifiers = Set(parts.filter { !$0.isEmpty })
    self.key = ["esc": "escape", "return": "enter", "del": "delete", " ": "space"][key] ?? key
    guard !self.key.isEmpty, modifiers.isSubset(of: ["mod", "ctrl", "alt", "shift"]) else {
      return nil
    }
  }
}

package enum ViewShortcut {
  /// Why a text is no shortcut; nil if it is one.
  package static func fault(of text: String) -> String? {
    Shortcut(text) == nil ? "'\(text.shownInMessage)' is no shortcut; one is \"mod+n\"" : nil
  }
}
