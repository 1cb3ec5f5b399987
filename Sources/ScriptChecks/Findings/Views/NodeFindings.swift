import LuaBridge
import LuaSyntax
import ScriptView
import ScriptedStore

/// Properties that elements do not have, values that a property cannot have, and children that
/// are not shown. `scripted.ui` raises for most of them when the view runs, and for functions when its
/// nodes are read.
extension ScriptFindings {
  mutating func findWrongNodes() {
    for node in analysis.viewNodes {
      guard let element = node.element else { continue }
      switch element.children {
      case _ where element.group == .place: checkPlace(node)
      case .none: checkUnshown(node.children.first, of: node)
      case .text: checkText(node)
      case .nodes: checkChildren(node)
      }
      if element.group != .place {
        checkProperties(node, element)
        checkRange(of: node)
        checkSecond(node)
      }
    }
  }

  // MARK: Properties

  private mutating func checkProperties(_ node: ViewNodeUse, _ element: ViewElement) {
    for (key, name, value) in node.properties where name != "kind" {
      if let property = element.property(name) {
        check(value, property, of: node)
      } else {
        addUnknown(
          key, "property", of: "ui.\(node.kind)", element.properties.map(\.name),
          element.counterpart(ofProperty: name))
      }
    }
  }

  private mutating func addUnknown(
    _ key: LuaExpression, _ what: String, of owner: String, _ known: [String],
    _ remedy: String? = nil
  ) {
    let name = key.string ?? ""
    add(
      .unknownProperty, at: key.position, "\(owner) has no \(what) '\(name)'",
      remedy ?? Suggestion.question(for: name, in: known)
        ?? "it has \(known.sorted().joined(separator: ", "))")
  }

  private mutating func check(
    _ value: LuaExpression, _ property: ViewProperty, of node: ViewNodeUse
  ) {
    guard let type = value.typeName, type != "nil" else { return }
    if type == "function" {
      addFunction(value, property.name, of: node)
    } else if !property.types.contains(type) {
      add(
        .invalidProperty, at: value.position,
        "the property '\(property.name)' of ui.\(node.kind) is a \(type)",
        property.types == ["string"] && property.words != nil
          ? Self.choice(property.words ?? [])
          : "it must be a \(property.types.sorted().joined(separator: " or "))")
    } else if let words = property.words, let word = value.resolved.string, !words.contains(word) {
      add(
        .invalidProperty, at: value.position,
        "the property '\(property.name)' of ui.\(node.kind) is \"\(word)\"",
        Suggestion.nearest(to: word, in: words).map { "did you mean \"\($0)\"?" }
          ?? Self.choice(words))
    } else {
      switch property.kind {
      case .icon: checkIcon(value, of: node)
      case .shortcut: checkShortcut(value, of: node)
      case .options: checkChoices(value, of: node)
      case .shapes:
        for (key, shape) in value.tableFields ?? [] where key == nil { checkShape(shape) }
      case .text where ["href", "source"].contains(property.name):
        checkAddress(value, property.name, of: node)
      default: break
      }
    }
  }

  private mutating func checkShortcut(_ value: LuaExpression, of node: ViewNodeUse) {
    guard let text = value.resolved.string, ViewShortcut.fault(of: text) != nil else { return }
    add(
      .invalidProperty, at: value.position,
      "the property 'shortcut' of ui.\(node.kind) is \"\(text)\"",
      "it is a key after any of mod, ctrl, alt and shift: \"mod+n\"")
  }

  /// Reports an address that pages and drawings leave out, because it could run code.
  private mutating func checkAddress(_ value: LuaExpression, _ name: String, of node: ViewNodeUse) {
    let isLink = name == "href"
    guard let text = value.resolved.string,
      (isLink ? SafeAddress.link(text) : SafeAddress.image(text)) == nil
    else { return }
    add(
      .invalidProperty, at: value.position,
      "the property '\(name)' of ui.\(node.kind) is \"\(text)\", which is left out",
      "it may be \(isLink ? "http, https, mailto" : "http, https") or relative, without blanks")
  }

  /// Two options of a picker with one value, of which only the first can be chosen.
  private mutating func checkChoices(_ value: LuaExpression, of node: ViewNodeUse) {
    var values: Set<String> = []
    for (key, option) in value.tableFields ?? [] where key == nil {
      let option = option.resolved.tableFields == nil ? option : option.resolved.field("value")
      guard let option,
        let text = option.resolved.string
          ?? number(option).map({ Int(exactly: $0).map { "\($0)" } ?? "\($0)" }),
        !values.insert("\(option.typeName ?? "") \(text)").inserted
      else { continue }
      let shown = option.typeName == "string" ? "\"\(text)\"" : text
      add(
        .invalidProperty, at: option.position,
        "two options of ui.\(node.kind) have the value \(shown)",
        "leave one of them out, or give it another value")
    }
  }

  /// A range without a number in it.
  private mutating func checkRange(of node: ViewNodeUse) {
    let values = node.properties.filter { ["min", "max"].contains($0.name) }
    guard let first = values.last(where: { $0.name == "min" })?.value,
      let last = values.last(where: { $0.name == "max" })?.value,
      let min = number(first), let max = number(last), min > max
    else { return }
    add(
      .invalidProperty, at: first.position, "the `min` of ui.\(node.kind) is above its `max`",
      "exchange them")
  }

  /// The number that is written out; nil for all else, as for one with a sign before it.
  private func number(_ value: LuaExpression) -> Double? {
    let value = value.resolved
    guard value.typeName == "number" else { return nil }
    let text = script.source[value.position.offset...].prefix {
      let character = Character(UnicodeScalar($0))
      return character.isHexDigit || ".xX".contains(character)
    }
    return Double(String(decoding: text, as: UTF8.self))
  }

  /// What is written out of a shape's data: its kind, its names, and values.
  private mutating func checkShape(_ shape: LuaExpression) {
    let fields = shape.tableFields ?? []
    guard let kind = fields.first(where: { $0.key?.string == "kind" })?.value,
      let kindName = kind.resolved.string
    else { return }
    guard let known = ViewShape.names(of: kindName) else {
      return add(
        .invalidProperty, at: kind.position, "there is no shape \"\(kindName)\"",
        Suggestion.nearest(to: kindName, in: ViewShape.kinds).map { "did you mean \"\($0)\"?" }
          ?? Self.choice(ViewShape.kinds))
    }
    for (key, value) in fields {
      guard let key, let name = key.string else { continue }
      if !known.contains(name) {
        addUnknown(key, "property", of: "the shape \"\(kindName)\"", known)
      } else if name != "kind", let text = value.resolved.string,
        let fault = ViewShape.fault(of: .string(text), name, of: kindName)
      {
        add(
          .invalidProperty, at: value.position,
          "the property '\(name)' of the shape \"\(kindName)\" is \"\(text)\"", fault)
      }
    }
  }

  private mutating func checkIcon(_ value: LuaExpression, of node: ViewNodeUse) {
    guard let name = value.resolved.string, ViewIcon.fault(of: name) != nil else { return }
    add(
      .invalidProperty, at: value.position, "there is no icon \"\(name)\" for ui.\(node.kind)",
      ViewIcon.nearest(to: name).map { "did you mean \"\($0)\"?" }
        ?? "docs/view-api.md lists the names")
  }

  private static func choice(_ words: [String]) -> String {
    "it may be " + words.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
  }

  private mutating func addFunction(_ value: LuaExpression, _ name: String, of node: ViewNodeUse) {
    add(
      .invalidProperty, at: value.position,
      "the property '\(name)' of ui.\(node.kind) is a function",
      "actions are data: \"save\", or { \"rename\", { title = \"Milk\" } }")
  }

  // MARK: Children

  /// A second argument is refused, unless it is a number, which `string.gsub` returns behind its text.
  private mutating func checkSecond(_ node: ViewNodeUse) {
    guard let second = node.arguments.dropFirst().first, let type = second.typeName,
      type != "number", type != "nil"
    else { return }
    add(
      .invalidProperty, at: second.position, "ui.\(node.kind) takes one argument",
      "put the text or the children and the properties into one table: ui.\(node.kind) { … }")
  }

  private mutating func checkText(_ node: ViewNodeUse) {
    let children = node.children
    if let text = children.first, let type = text.typeName,
      !["string", "number", "nil"].contains(type)
    {
      add(
        .invalidProperty, at: text.position, "the text of ui.\(node.kind) is a \(type)",
        "it must be a string or a number")
    } else if node.element?.property("text")?.kind == .icon,
      // `ui.icon "star"` has no table around the text.
      let text = children.first ?? node.arguments.first
    {
      checkIcon(text, of: node)
    }
    checkUnshown(children.dropFirst().first, of: node)
  }

  private mutating func checkUnshown(_ child: LuaExpression?, of node: ViewNodeUse) {
    guard let child else { return }
    let isText = child.typeName == "string"
    add(
      .droppedResult, at: child.position,
      "ui.\(node.kind) does not show this \(isText ? "text" : "child")",
      isText && node.element?.group == .enter
        ? "name it by its property: label = \"…\""
        : "put them beside each other: ui.row { ui.\(node.kind) { … }, … }")
  }

  private mutating func checkChildren(_ node: ViewNodeUse) {
    for child in node.children where child.typeName == "function" {
      let name = if case .local(let variable) = child.kind { variable.name } else { "component" }
      add(
        .invalidProperty, at: child.position, "a child of ui.\(node.kind) is a function",
        "call it: \(name)(…) returns a node")
    }
  }

  // MARK: Places

  private mutating func checkPlace(_ node: ViewNodeUse) {
    switch node.kind {
    case "host":
      // Any property is given to the host.
      for (_, name, value) in node.properties where value.typeName == "function" {
        addFunction(value, name, of: node)
      }
    case "navigation":
      checkOptions(node.arguments.first, ["path", "env"], of: node)
      checkChildren(node)
    case "child": checkOptions(node.arguments.dropFirst().first, ["env"], of: node)
    case "forEach" where node.arguments.count == 3:
      checkOptions(node.arguments[1], ["id"], of: node)
    case "forEach" where node.arguments.first?.typeName == "string":
      checkOptions(node.arguments.dropFirst().first, ["where", "only", "env"], of: node)
    default: break
    }
  }

  private mutating func checkOptions(
    _ options: LuaExpression?, _ known: [String], of node: ViewNodeUse
  ) {
    for (key, _) in options?.tableFields ?? [] {
      guard let key, let name = key.string, !known.contains(name) else { continue }
      addUnknown(key, "option", of: "ui.\(node.kind)", known)
    }
  }
}

extension ViewProperty {
  /// The only texts that the value may be; nil if it may be any.
  fileprivate var words: [String]? {
    switch kind {
    case .word(let words): words
    case .count(let words) where !words.isEmpty: words
    default: nil
    }
  }
}

/// The children that views place, as questions to all scripts: is it there, placed in this way, and has it
/// a view? Any script may attach the child to the feature that places it.
struct PlacedChildren {
  private let places: [(script: ScriptFile, place: ViewPlacementUse)]
  private let asked: AskedFeatures
  /// The answers, by the index of the place.
  private var failures: [Int: PlacementFailure] = [:]
  private var placed: Set<Int> = []

  init(_ scripts: [ScriptFile]) {
    places = scripts.flatMap { script in
      let nodes = script.analysis?.viewNodes.filter { !$0.features.isEmpty } ?? []
      return nodes.flatMap(\.placements).map { (script, $0) }
    }
    asked = AskedFeatures(places.map { ($0.script, $0.place.features) })
  }

  /// Asks a loaded script.
  mutating func ask(_ inspection: ScriptInspection) {
    for (number, origins) in asked.questions(for: inspection) {
      let place = places[number].place
      let failure = inspection.placementFailure(
        place.placement, at: place.path, byFeatureAt: origins)
      if let failure {
        failures[number] = failures[number] ?? failure
      } else {
        placed.insert(number)
      }
    }
  }

  /// A finding for each child that no script lets the view place.
  var findings: [Finding] {
    failures.filter { !placed.contains($0.key) }.map { number, failure in
      let (script, place) = places[number]
      return Finding(
        failure.isMissingView ? .missingView : .unknownChild, in: script, at: place.position,
        failure.message, failure.remedy)
    }
  }
}
