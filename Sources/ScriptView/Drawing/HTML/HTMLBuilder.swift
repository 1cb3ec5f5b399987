import ScriptValue

/// Makes HTML of nodes.
struct HTMLBuilder {
  var writer = HTMLWriter()

  /// The root, or what is presented.
  mutating func layer(_ layer: ViewScreen.Layer) {
    guard let name = layer.presentation else { return contentWithToasts(layer.content) }
    var dialog = HTMLElement("dialog")
    dialog.set("class", name)
    dialog.set("role", name == "alert" ? "alertdialog" : nil)
    dialog.set("aria-label", layer.title)
    dialog.set("aria-modal", "true")
    dialog.set("open", if: true)
    wrap(dialog) { $0.contentWithToasts(layer.content) }
  }

  private mutating func contentWithToasts(_ location: ViewLocation) {
    content(location)
    for toast in location.toasts { self.toast(toast) }
  }

  /// Writes an element around others.
  mutating func wrap(_ element: HTMLElement, _ body: (inout HTMLBuilder) -> Void) {
    writer.open(element)
    body(&self)
    writer.close(element)
  }

  /// Writes an element around what the node shows inside.
  mutating func box(_ element: HTMLElement, _ location: ViewLocation) {
    wrap(element) { $0.children(of: location) }
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
    let node = location.node
    guard let element = node.element else { return other(location) }
    element.behaviour.writeHTML(location, to: &self)
    if element.group == .enter { notes(node) }
  }

  /// What a control says of itself, and what is wrong with what was entered, below the control.
  private mutating func notes(_ node: ViewNode) {
    if let hint = node.scalar("hint"), !hint.isEmpty {
      var line = HTMLElement("p", text: hint)
      line.set("class", "hint")
      // The control is described by it already.
      line.set("aria-hidden", "true")
      writer.line(line)
    }
    if let error = node.scalar("error"), !error.isEmpty {
      var line = HTMLElement("p", text: error)
      line.set("class", "error")
      line.set("role", "alert")
      writer.line(line)
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

  private mutating func other(_ location: ViewLocation) {
    let node = location.node
    if node.isNothing { return }
    if let failure = node.failure { return failed(location, failure) }
    if node.isAlert {
      if let title = node.scalar("title") { writer.line(HTMLElement("h2", text: title)) }
      if let text = node.scalar("message") { writer.line(HTMLElement("p", text: text)) }
    } else {
      note(node.kind.isEmpty ? "a node without a kind" : "unknown element '\(node.kind)'")
    }
    children(of: location)
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
    element.set(node.element?.group == .enter ? "aria-description" : "title", node.scalar("hint"))
    if node.isSet("announce") { element.set("aria-live", "polite") }
    return element
  }

  /// The kind, the words that say how it looks, and the classes that the script has given.
  private func classes(of node: ViewNode) -> String {
    var classes = [node.kind]
    for name in ["style", "role", "keyboard"] {
      if let word = node.word(name) { classes.append(word) }
    }
    for name in ["tone", "spacing", "align", "axis", "width"] {
      if let word = node.word(name) { classes.append("\(name)-\(word)") }
    }
    for name in ["grow", "wrap"] where node.isSet(name) { classes.append(name) }
    if let own = node.string("class"), !own.isEmpty { classes.append(own) }
    return classes.joined(separator: " ")
  }
}

/// Draws a view's tree as HTML: canonical, so that drawings can be compared.
///
/// A node is a line, or the lines from its start tag to its end tag, indented. Elements are those
/// that browsers and assistive technology know: a real `button`, a `label` with its `input`, a
/// `table`. What is presented is a `dialog` behind the rest. Everything that comes from the state
/// is escaped; there are no scripts, styles or identifiers, and no addresses but safe ones.
public enum HTMLDrawing {
  /// The lines of the drawing, without a line break at the end. O(what is shown).
  public static func draw(_ tree: Value) -> String {
    var builder = HTMLBuilder()
    for layer in ViewScreen(tree).layers { builder.layer(layer) }
    return builder.writer.html
  }
}
