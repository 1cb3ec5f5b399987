import ScriptValue

/// An element of views: what it may have, what it draws, and what follows when a person uses it.
///
/// A new element is a type in a file of this folder, and a case of ``ElementKind``. A browser draws it by an entry
/// of `descriptions` in `Page/page/kinds.js`. The defaults are those of an element that only shows something.
protocol Element: Sendable {
  var group: ViewElement.Group { get }
  var children: ViewElement.Children { get }
  /// The element's own properties. Those of its group, of containers and of all elements come after them.
  var properties: [ViewProperty] { get }
  /// Whether a person perceives the element itself, and not only what is in it.
  var isItem: Bool { get }
  /// Whether ``accept(_:_:)`` takes null, so that the bound field may be absent.
  var isClearable: Bool { get }

  // MARK: What it draws

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder)
  /// What it draws on a terminal and in tests; nil for nothing.
  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)?
  /// The text that the element shows of itself; what is in it has texts of its own.
  func shownText(_ location: ViewLocation) -> String?
  /// The name by which tests and assistive technology find it.
  func itemName(_ location: ViewLocation) -> String?
  /// Options and tabs, which are found by themselves.
  func parts(of location: ViewLocation) -> [ViewItem]

  // MARK: What a person does with it

  /// How keys use it; nil if it cannot have the focus. A toast has the focus by way of its layer.
  func control(_ node: ViewNode) -> ControlKind?
  /// What follows from a tap. Nil for an element that is not tapped itself: then a tap selects the row that it is, or gives it
  /// the focus.
  func tap(_ location: ViewLocation) throws(ViewRefusal) -> ViewOutcome?
  /// The value that the control takes when a person enters one: numbers are brought into the range, options may be named by
  /// their labels, and a field of one line loses line breaks. Nil for an element into which nothing is entered.
  func accept(_ value: Value, _ location: ViewLocation) throws(ViewRefusal) -> Value?
}

/// How keys use something that has the focus. The last three are no elements, but parts of some.
package enum ControlKind: Sendable {
  /// A text of one line.
  case field
  /// A text of several lines.
  case editor
  case date
  /// The path of a file on the person's machine.
  case file
  case button
  case toggle
  case disclosure
  case menu
  /// A picker whose options open over the others.
  case closedPicker
  /// A picker whose options are all shown.
  case openPicker
  case range
  case tabs
  case row
  case back
  case option
}

extension Element {
  var children: ViewElement.Children { .none }
  var properties: [ViewProperty] { [] }
  var isItem: Bool { true }
  var isClearable: Bool { false }
  func shownText(_ location: ViewLocation) -> String? { nil }
  func itemName(_ location: ViewLocation) -> String? { location.node.name }
  func parts(of location: ViewLocation) -> [ViewItem] { [] }
  func control(_ node: ViewNode) -> ControlKind? { nil }
  func tap(_ location: ViewLocation) throws(ViewRefusal) -> ViewOutcome? { nil }
  func accept(_ value: Value, _ location: ViewLocation) throws(ViewRefusal) -> Value? { nil }
}

/// An element that shows something.
protocol ShownElement: Element {}

extension ShownElement {
  var group: ViewElement.Group { .show }
}

/// An element with which one enters a value.
protocol EnteredElement: Element {}

extension EnteredElement {
  var group: ViewElement.Group { .enter }
  func shownText(_ location: ViewLocation) -> String? { location.node.scalar("value") }
}

/// An element that arranges others: a box around them, if it does not say otherwise.
protocol ArrangedElement: Element {}

extension ArrangedElement {
  var group: ViewElement.Group { .arrange }
  var children: ViewElement.Children { .nodes }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    builder.box(builder.unnamed("div", location), location)
  }
}

extension ViewNode {
  /// How keys use the node; nil if it cannot have the focus.
  package var control: ControlKind? { element?.behaviour.control(self) }
}
