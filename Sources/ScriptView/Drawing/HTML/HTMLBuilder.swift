import ScriptValue

/// Writes nodes as HTML: elements on lines, indented by how deep they are.
struct HTMLBuilder {
  private(set) var html = ""
  private var depth = 0
  /// How many controls had an error so far. The ids of a control's notes end with its number.
  private var errors = 0
  /// Deeper lines are not indented more, so that the drawing grows with the tree only.
  private static let deepest = 40

  /// The root, or what is presented.
  mutating func layer(_ layer: ViewScreen.Layer) {
    guard let name = layer.presentation else { return contentWithToasts(layer.content) }
    var dialog = HTMLElement(
      "dialog",
      [
        "class": name, "role": name == "alert" ? "alertdialog" : nil, "aria-label": layer.title,
        "aria-modal": "true",
      ])
    dialog.set("open", if: true)
    wrap(dialog) { $0.contentWithToasts(layer.content) }
  }

  private mutating func contentWithToasts(_ location: ViewLocation) {
    content(location)
    for toast in location.toasts { self.toast(toast) }
  }

  /// Writes an element on one line.
  mutating func line(_ element: HTMLElement) { line(element.html) }

  private mutating func line(_ text: String) {
    if !html.isEmpty { html.append("\n") }
    for _ in 0..<min(depth, HTMLBuilder.deepest) { html.append("  ") }
    html += text
  }

  /// Writes an element around others.
  mutating func wrap(_ element: HTMLElement, _ body: (inout HTMLBuilder) -> Void) {
    line(element.startTag)
    depth += 1
    body(&self)
    depth -= 1
    line(element.endTag)
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
        line(
          HTMLElement("button", ["type": "button", "class": "back"], text: "‹ \(back.title)"))
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
    let ids = noteIDs(node)
    if let hint = node.nonEmpty("hint") {
      // The control is described by it already.
      line(
        HTMLElement("p", ["class": "hint", "id": ids?.hint, "aria-hidden": "true"], text: hint))
    }
    if let error = node.nonEmpty("error") {
      alert(error, id: ids?.error)
      errors += 1
    }
  }

  private mutating func alert(_ error: String, id: String? = nil) {
    line(HTMLElement("p", ["class": "error", "id": id, "role": "alert"], text: error))
  }

  /// The ids of the hint and the error below the control that is written now; nil without an error, because then an attribute
  /// of the control has the hint.
  private func noteIDs(_ node: ViewNode) -> (hint: String?, error: String)? {
    guard node.nonEmpty("error") != nil else { return nil }
    let number = errors + 1
    return (node.nonEmpty("hint").map { _ in "hint-\(number)" }, "error-\(number)")
  }

  /// Says of a control what is wrong with what was entered.
  func setError(of node: ViewNode, on control: inout HTMLElement) {
    guard let ids = noteIDs(node) else { return }
    control.set("aria-invalid", "true")
    control.set(
      "aria-describedby", [ids.hint, ids.error].compactMap(\.self).joined(separator: " "))
  }

  // MARK: What stands outside of elements

  /// A view that raised. The last good tree stays below the message.
  private mutating func failed(_ location: ViewLocation, _ failure: ViewFailure) {
    wrap(HTMLElement("div", ["class": "failed"])) { builder in
      builder.alert(failure.message)
      for (name, detail) in [("location", failure.location), ("traceback", failure.traceback)] {
        guard let detail else { continue }
        builder.line(HTMLElement("p", ["class": name], text: detail))
      }
      builder.children(of: location)
    }
  }

  private mutating func other(_ location: ViewLocation) {
    let node = location.node
    if node.isNothing { return }
    if let failure = node.failure { return failed(location, failure) }
    if node.isAlert {
      if let title = node.scalar("title") { line(HTMLElement("h2", text: title)) }
      if let text = node.scalar("message") { line(HTMLElement("p", text: text)) }
    } else {
      note(node.kind.isEmpty ? "a node without a kind" : "unknown element '\(node.kind)'")
    }
    children(of: location)
  }

  /// Says that something is not drawn.
  mutating func note(_ text: String) {
    line(HTMLElement("p", ["class": "note"], text: text))
  }

  // MARK: Attributes

  /// An element with the attributes that any node may have.
  ///
  /// - Parameter isNamed: Whether the label is drawn, so that no attribute has to hold it.
  func element(
    _ tag: String, _ location: ViewLocation, isNamed: Bool = false
  ) -> HTMLElement {
    let node = location.node
    var element = HTMLElement(tag, ["class": classes(of: node)])
    if node.isDecorative {
      element.set("aria-hidden", "true")
    } else if !isNamed, let label = node.scalar("label"), label != node.text {
      element.set("aria-label", label)
    }
    element.set(node.element?.group == .enter ? "aria-description" : "title", node.scalar("hint"))
    if node.isSet("announce") { element.set("aria-live", "polite") }
    return element
  }

  /// An element that has no role of its own. With a label it is a group, because no label is read out of one without a role.
  func unnamed(_ tag: String, _ location: ViewLocation) -> HTMLElement {
    let node = location.node
    var element = element(tag, location)
    let isHeading = node.elementKind == .heading
    if !isHeading, !node.isDecorative, let label = node.nonEmpty("label"), label != node.text {
      element.set("role", "group")
    }
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
/// `table`. What is presented is a `dialog` after the rest. Everything that comes from the state
/// is escaped; there are no scripts or styles, no addresses but safe ones, and no identifiers but those that lead from a
/// control to its error.
public enum HTMLDrawing {
  /// The lines of the drawing, without a line break at the end. O(what is shown).
  public static func draw(_ tree: Value) -> String {
    var builder = HTMLBuilder()
    for layer in ViewScreen(tree).layers { builder.layer(layer) }
    return builder.html
  }
}

/// What several elements write.
extension HTMLBuilder {
  /// A line with a text.
  mutating func line(_ tag: String, _ location: ViewLocation, _ text: String) {
    var element = unnamed(tag, location)
    element.append(text: text)
    line(element)
  }

  /// What a menu or a disclosure holds, below its label.
  mutating func details(_ location: ViewLocation, isOpen: Bool) {
    var details = element("details", location, isNamed: true)
    details.set("open", if: isOpen)
    wrap(details) { builder in
      let (label, icon) = (location.node.scalar("label"), location.node.iconForLabel)
      builder.line(
        HTMLElement(
          "summary",
          ["aria-label": icon == nil ? nil : label, "data-icon": location.node.string("icon")],
          text: icon == nil ? label ?? "" : ""))
      builder.children(of: location)
    }
  }

  // MARK: Controls

  /// The element that is entered into, inside of its label; by itself if the label is hidden.
  ///
  /// - Parameter value: what stands after the control.
  func labelled(
    _ control: HTMLElement, _ location: ViewLocation, showing value: HTMLElement? = nil
  ) -> HTMLElement {
    let label = location.node.shownLabel
    guard label != nil || value != nil else { return control }
    var element = HTMLElement("label")
    if let label { element.append(text: label + " ") }
    element.append(control)
    if let value {
      element.append(text: " ")
      element.append(value)
    }
    return element
  }

  /// An element that is entered into.
  func control(_ tag: String, _ location: ViewLocation) -> HTMLElement {
    let node = location.node
    var control = element(tag, location, isNamed: node.shownLabel != nil)
    control.set("name", node.string("name"))
    control.set("placeholder", node.scalar("prompt"))
    control.set("data-shortcut", node.string("shortcut"))
    setError(of: node, on: &control)
    control.set("disabled", if: location.disabled != nil)
    return control
  }

  func input(
    _ type: String, _ location: ViewLocation, showsValue: Bool = true
  ) -> HTMLElement {
    var input = control("input", location)
    input.set("type", type)
    if showsValue { input.set("value", location.node.scalar("value") ?? "") }
    return input
  }
}

extension Value {
  /// A number as an attribute has it; nil for other values.
  var drawnNumber: String? { double == nil ? nil : drawnScalar }
}

extension ViewNode {
  /// A property that is a text or a number, as it is drawn; nil for an empty text.
  fileprivate func nonEmpty(_ name: String) -> String? {
    scalar(name).flatMap { $0.isEmpty ? nil : $0 }
  }
}
