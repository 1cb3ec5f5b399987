import ScriptValue

/// Makes HTML of nodes.
struct HTMLBuilder {
  var writer = HTMLWriter()

  /// The root, or what is presented.
  mutating func layer(_ layer: ViewScreen.Layer) {
    guard let name = layer.presentation else { return content(layer.content) }
    var dialog = HTMLElement("dialog")
    dialog.set("class", name)
    dialog.set("role", name == "alert" ? "alertdialog" : nil)
    dialog.set("aria-label", layer.title)
    dialog.set("aria-modal", "true")
    dialog.set("open", if: true)
    wrap(dialog) { $0.content(layer.content) }
  }

  /// Writes an element around others.
  mutating func wrap(_ element: HTMLElement, _ body: (inout HTMLBuilder) -> Void) {
    writer.open(element)
    body(&self)
    writer.close(element)
  }

  /// A node: of a place what stands there.
  mutating func content(_ location: ViewLocation) {
    if location.isTransparent { children(of: location) } else { node(location) }
  }

  /// What a node shows inside.
  mutating func children(of location: ViewLocation) {
    for child in location.shownChildren {
      if let back = child.wayBack {
        var button = HTMLElement("button")
        button.set("type", "button")
        button.set("class", "back")
        button.append(text: "‹ \(back.title)")
        writer.line(button)
      }
      node(child)
    }
  }

  /// A node that is no place.
  mutating func node(_ location: ViewLocation) {
    switch location.node.element?.group {
    case .show: showing(location)
    case .act: acting(location)
    case .enter: entering(location)
    case .arrange: arranging(location)
    case .place: host(location)
    case nil: other(location)
    }
  }

  // MARK: What stands outside of elements

  /// A view that raised. The last good tree stays below the message.
  private mutating func failed(_ location: ViewLocation, _ failure: ViewFailure) {
    var box = HTMLElement("div")
    box.set("class", "failed")
    wrap(box) { builder in
      var message = HTMLElement("p", text: failure.message)
      message.set("class", "error")
      message.set("role", "alert")
      builder.writer.line(message)
      for (name, detail) in [("location", failure.location), ("traceback", failure.traceback)] {
        guard let detail else { continue }
        var line = HTMLElement("p", text: detail)
        line.set("class", name)
        builder.writer.line(line)
      }
      builder.children(of: location)
    }
  }

  private mutating func host(_ location: ViewLocation) {
    var element = element("div", location)
    element.set("data-name", location.node.string("name"))
    wrap(element) { $0.children(of: location) }
  }

  private mutating func other(_ location: ViewLocation) {
    let kind = location.node.kind
    switch kind {
    case "nothing": return
    case "failed": if let failure = location.node.failure { failed(location, failure) }
    case "alert", "dialog":
      if let title = location.node.scalar("title") { writer.line(HTMLElement("h2", text: title)) }
      if let text = location.node.scalar("message") { writer.line(HTMLElement("p", text: text)) }
      children(of: location)
    default:
      note(kind.isEmpty ? "a node without a kind" : "unknown element '\(kind)'")
      children(of: location)
    }
  }

  /// Says that something is not drawn.
  mutating func note(_ text: String) {
    var note = HTMLElement("p", text: text)
    note.set("class", "note")
    writer.line(note)
  }

  // MARK: Attributes

  /// An element with the attributes that any node may have.
  ///
  /// - Parameter isNamed: Whether the label is drawn, so that no attribute has to hold it.
  func element(
    _ tag: String, _ location: ViewLocation, isNamed: Bool = false
  ) -> HTMLElement {
    let node = location.node
    var element = HTMLElement(tag)
    element.set("class", classes(of: node))
    if node.isDecorative {
      element.set("aria-hidden", "true")
    } else if !isNamed, let label = node.scalar("label"), label != node.text {
      element.set("aria-label", label)
    }
    element.set("title", node.scalar("hint"))
    if node.isSet("announce") { element.set("aria-live", "polite") }
    return element
  }

  /// The kind, the words that say how it looks, and the classes that the script has given.
  private func classes(of node: ViewNode) -> String {
    var classes = [node.kind]
    for name in ["style", "role", "keyboard"] {
      if let word = node.word(name) { classes.append(word) }
    }
    for name in ["tone", "spacing", "align", "axis"] {
      if let word = node.word(name) { classes.append("\(name)-\(word)") }
    }
    for name in ["grow", "wrap"] where node.isSet(name) { classes.append(name) }
    if let own = node.string("class"), !own.isEmpty { classes.append(own) }
    return classes.joined(separator: " ")
  }
}
