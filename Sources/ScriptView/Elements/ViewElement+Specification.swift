import ScriptValue

extension ViewElement {
  /// Whether nodes of this kind stand for others: children, rows, or what the host draws.
  package var isPlace: Bool { group == .place }

  /// Whether null may be entered, so that the bound field may be absent.
  package var isClearable: Bool { behaviour.isClearable }

  /// The names of all properties that hold actions.
  package static let actionProperties: [String] =
    Set(all.flatMap(\.properties).filter { $0.kind == .action }.map(\.name)).sorted()

  /// All elements, as the Lua module `scripted.ui` takes them: by kind, `{ text, children, properties }`. A property is
  /// `{ types = { string = true, … } }`, with `words` where only some texts will do, `isField` for the name of a field,
  /// `isNames` for a name or a list of names, `isIcon` for the name of an icon, `isShortcut` for keys, and `itemText` for the name of the text that
  /// each item of a list has.
  package static let specification: Value = {
    var elements = Value.Object()
    for element in all where element.group != .part {
      var properties = Value.Object()
      for property in element.properties { properties[property.name] = property.specification }
      elements[element.kind] = [
        "text": .boolean(element.children == .text),
        "children": .boolean(element.children == .nodes),
        "properties": .object(properties),
      ]
    }
    return .object(elements)
  }()
}

extension ViewElement {
  /// What is here in place of an element of SwiftUI or HTML, by that element's name in lower case: the remedy for a name
  /// that is none.
  package static func counterpart(of name: String) -> String? {
    counterparts[name.lowercased()].string
  }

  package static let counterparts: Value = {
    var remedies = Value.Object()
    for (names, kind) in [
      ("vstack lazyvstack div", "column"), ("hstack lazyhstack", "row"), ("scrollview", "scroll"),
      ("lazyvgrid lazyhgrid", "grid"), ("span p", "text"), ("h1 h2 h3", "heading"),
      ("img asyncimage", "image"), ("a", "link"), ("input", "textField"), ("checkbox", "toggle"),
      ("select", "picker"), ("progressview", "progress"), ("groupbox", "group"), ("ul ol", "list"),
      ("tabview", "tabs"), ("disclosuregroup details", "disclosure"),
      ("navigationstack navigationview", "navigation"), ("snackbar", "toast"),
      ("navigationsplitview hsplitview", "columns"),
    ] {
      for name in names.split(separator: " ") {
        remedies[String(name)] = .string("here it is ui.\(kind)")
      }
    }
    for name in presentations {
      remedies[name] = .string("it is a property of a container: \(name) = \"destination.edit\"")
    }
    remedies["zstack"] =
      "only what a container presents covers something: sheet = \"destination.edit\""
    return .object(remedies)
  }()
}

extension ViewElement {
  /// What is here in place of a property of SwiftUI or HTML, by that property's name in lower case: the remedy for a name
  /// that this element has no property of.
  package func counterpart(ofProperty name: String) -> String? {
    let counterpart = ViewElement.propertyCounterparts[name.lowercased()]
    guard let property = counterpart["property"].string else { return nil }
    return self.property(property) == nil
      ? counterpart["elsewhere"].string : counterpart["here"].string
  }

  /// By the name: the property, and the remedies for elements that have it and that do not.
  package static let propertyCounterparts: Value = {
    var counterparts = Value.Object()
    for (names, property) in [
      ("onclick ontap onpress ontapgesture", "action"), ("oninput onvaluechange", "onChange"),
      ("color colour foregroundcolor foregroundstyle tint", "tone"), ("classname", "class"),
      ("placeholder", "prompt"), ("src", "source"), ("url", "href"), ("tooltip help", "hint"),
      ("alt accessibilitylabel", "label"), ("gap padding margin", "spacing"),
      ("checked ison", "value"), ("choices items", "options"),
    ] {
      let owners = all.filter { !$0.isPlace && $0.property(property) != nil }.map {
        "ui.\($0.kind)"
      }
      let few = owners.count <= 2 ? owners : [owners.prefix(2).joined(separator: ", "), "others"]
      let remedy = "here it is '\(property)'"
      for name in names.split(separator: " ") {
        counterparts[String(name)] = [
          "property": .string(property), "here": .string(remedy),
          "elsewhere": .string("\(remedy), which \(few.joined(separator: " and ")) have"),
        ]
      }
    }
    return .object(counterparts)
  }()
}

extension ViewProperty {
  /// The types of Lua that the value may have.
  package var types: [String] {
    switch kind {
    case .boolean: ["boolean"]
    case .number: ["number"]
    case .text, .word, .field, .presentation, .icon, .shortcut: ["string"]
    case .scalar: ["string", "number"]
    case .count(let words): words.isEmpty ? ["number"] : ["number", "string"]
    case .action, .names, .file: ["string", "table"]
    case .options, .columns, .table, .shapes: ["table"]
    case .node: ["boolean", "number", "string", "table"]
    case .any: ["boolean", "null", "number", "string", "table"]
    }
  }

  /// The property of the items of a list that is shown, and so is a text or a number.
  private var itemText: String? {
    switch kind {
    case .options: "label"
    case .columns: "title"
    default: nil
    }
  }

  fileprivate var specification: Value {
    var specification: Value.Object = [
      "types": .object(Value.Object(types.map { (key: $0, value: .boolean(true)) }))
    ]
    if case .word(let words) = kind {
      specification["words"] = .array(Value.List(words.map { .string($0) }))
    }
    if kind == .field { specification["isField"] = true }
    if kind == .names { specification["isNames"] = true }
    if kind == .icon { specification["isIcon"] = true }
    if kind == .shortcut { specification["isShortcut"] = true }
    if let itemText { specification["itemText"] = .string(itemText) }
    return .object(specification)
  }
}
