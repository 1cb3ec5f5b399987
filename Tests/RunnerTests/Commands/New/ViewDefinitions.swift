import ScriptView

/// The text of `scripts/types/ui.lua`: the definitions of `scripted.ui` for the Lua language server.
///
/// Elements, properties and words come from `ViewElement.all`. `ViewDescriptions` has the sentences.
struct ViewDefinitions {
  private let elements = ViewElement.all.filter { $0.group != .place && $0.group != .part }

  var text: String {
    ([Self.head, Self.icons] + classes + elements.map(definition) + [Self.places, "return ui\n"])
      .joined(separator: "\n")
  }

  // MARK: Classes that elements share

  /// The properties that all of these elements have, by name.
  private func shared(by elements: [ViewElement]) -> [String: ViewProperty] {
    guard let first = elements.first else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: first.properties.filter { property in
        elements.allSatisfy { $0.properties.contains(property) }
      }.map { ($0.name, $0) })
  }

  private var common: [String: ViewProperty] { shared(by: elements) }
  private var containers: [String: ViewProperty] {
    shared(by: elements.filter { $0.children == .nodes }).filter { common[$0.key] == nil }
  }
  private var controls: [String: ViewProperty] {
    shared(by: elements.filter { $0.group == .enter }).filter { common[$0.key] == nil }
  }

  private var classes: [String] {
    [
      classText("scripted.ui.Element", "What any element may have.", common),
      classText(
        "scripted.ui.Container: scripted.ui.Element",
        "What an element with children may have.", containers, ["[integer] scripted.ui.Node"]),
      classText(
        "scripted.ui.Control: scripted.ui.Element", "What one enters something with.", controls),
    ]
  }

  private func base(of element: ViewElement) -> (name: String, inherited: Set<String>) {
    if element.children == .nodes {
      return ("scripted.ui.Container", Set(common.keys).union(containers.keys))
    }
    if element.group == .enter {
      return ("scripted.ui.Control", Set(common.keys).union(controls.keys))
    }
    return ("scripted.ui.Element", Set(common.keys))
  }

  // MARK: Elements

  private func definition(_ element: ViewElement) -> String {
    let (base, inherited) = base(of: element)
    let kind = element.kind
    let own = element.properties.filter { !inherited.contains($0.name) }
    let isIcon = element.property("text")?.kind == .icon
    let textType = isIcon ? "scripted.ui.Icon" : "string|number"
    let text =
      element.children == .text
      ? ["[1]? \(textType) \(ViewDescriptions.sentence("text", of: kind))"] : []
    let fields = classText(
      "scripted.ui.\(kind): \(base)", nil,
      Dictionary(uniqueKeysWithValues: own.map { ($0.name, $0) }), text, of: kind)
    let types = "scripted.ui.\(kind)" + (element.children == .text ? "|\(textType)" : "")
    return """
      \(fields)
      ---\(ViewDescriptions.elements[kind] ?? "")
      ---@param properties? \(types)
      ---@return scripted.ui.Node
      function ui.\(kind)(properties) end

      """
  }

  private func classText(
    _ name: String, _ summary: String?, _ properties: [String: ViewProperty],
    _ further: [String] = [], of kind: String? = nil
  ) -> String {
    let fields =
      further
      + properties.values.sorted { $0.name < $1.name }.map { property in
        let sentence = ViewDescriptions.sentence(property.name, of: kind)
        return "\(property.name)? \(Self.type(property.kind)) \(sentence)"
      }
    let lines =
      (summary.map { ["---\($0)"] } ?? []) + ["---@class \(name)"]
      + fields.map { "---@field \($0)" }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func type(_ kind: ViewProperty.Kind) -> String {
    switch kind {
    case .boolean: "boolean"
    case .number: "number"
    case .text, .field, .presentation, .shortcut: "string"
    case .scalar: "string|number"
    case .word(let words): words.map { "\"\($0)\"" }.joined(separator: "|")
    case .icon: "scripted.ui.Icon"
    case .shapes: "scripted.ui.Shape[]"
    case .count(let words): (["integer"] + words.map { "\"\($0)\"" }).joined(separator: "|")
    case .action: "scripted.ui.Action"
    case .options: "(string|number|scripted.ui.Option)[]"
    case .columns: "scripted.ui.Column[]"
    case .names: "string|string[]"
    case .file: "string|scripted.ui.File"
    case .table: "table<string, any>"
    case .node: "scripted.ui.Node"
    case .any: "any"
    }
  }

  /// The names of icons, in lines of at most 110 characters.
  private static var icons: String {
    var lines = [
      "---The name of an icon of Lucide, or a text without letters that is shown as it is.",
      "---@alias scripted.ui.Icon",
    ]
    var line = "---|"
    for name in ViewIcon.names {
      if line.utf8.count + name.utf8.count > 107 {
        lines.append(line)
        line = "---|"
      }
      line += (line == "---|" ? " " : "|") + "\"\(name)\""
    }
    return (lines + [line, "---| string"]).joined(separator: "\n") + "\n"
  }

  // MARK: What is written by hand

  private static let head = """
    ---@meta scripted.ui

    -- What `require "scripted.ui"` gives, for the Lua language server. A test makes this file of the table of
    -- elements, and says how it is written anew when the table has changed.

    ---@class scripted.ui
    local ui = {}

    ---What a view returns, and the children of a node. A string or number is a text; false and nil are nothing,
    ---and keep their position.
    ---@alias scripted.ui.Node table|string|number|false|nil

    ---A path (`"save"`), a list of a path and a payload (`{ "rename", { title = "Milk" } }`), or an
    ---action's table. What the element adds, as `value`, is merged into the payload.
    ---@alias scripted.ui.Action string|scripted.Action|{ [1]: string, [2]: any }

    ---What a view finds beside the state: these, and what the placing view has passed.
    ---@class scripted.ui.Environment
    ---@field width "compact"|"regular"
    ---@field platform string "web", "terminal", "text", or the host's own name
    ---@field colorScheme "light"|"dark"
    ---@field locale string
    ---@field isSelected? boolean in a row: whether it is the selected one of its list
    ---@field [string] any

    ---@class scripted.ui.Option
    ---@field value any what the state gets
    ---@field label string|number

    ---A colour of the theme, or `#rrggbb`.
    ---@alias scripted.ui.Colour "text"|"secondary"|"accent"|"success"|"warning"|"danger"|"line"|"fill"|"card"|"none"|string

    ---@class scripted.ui.Shape
    ---@field kind "line"|"rect"|"circle"|"path"|"text"
    ---@field x1? number of a line
    ---@field y1? number of a line
    ---@field x2? number of a line
    ---@field y2? number of a line
    ---@field x? number of a rect the left side, of a circle the centre, of a text where it is anchored
    ---@field y? number of a rect the upper side, of a circle the centre, of a text its base line
    ---@field width? number of a rect
    ---@field height? number of a rect
    ---@field radius? number of a circle, or of the corners of a rect
    ---@field d? string of a path, as in SVG: "M0 0 L10 10"
    ---@field text? string|number of a text
    ---@field size? number of the letters of a text
    ---@field anchor? "start"|"middle"|"end" which part of a text is at `x`
    ---@field fill? scripted.ui.Colour "text" if absent, and of lines and paths "none"
    ---@field stroke? scripted.ui.Colour "none" if absent, and of lines and paths "text"
    ---@field strokeWidth? number 1 if absent
    ---@field opacity? number from 0 to 1
    ---@field label? string|number what it is called, if it can be tapped
    ---@field onTap? scripted.ui.Action what it sends, which makes it a button
    ---@field disabled? boolean whether it cannot be tapped

    ---A file that a person has chosen. Its bytes are in the host's folder, at `path` for `deps.files`.
    ---@class scripted.ui.File
    ---@field name string as the person's machine has it
    ---@field type string its media type, as "image/png"; empty if it is not known
    ---@field size integer in bytes
    ---@field path string

    ---@class scripted.ui.Column
    ---@field title string|number
    ---@field grow? boolean
    ---@field align? "start"|"center"|"end"|"stretch"

    """

  private static let places = """
    ---@class scripted.ui.RowOptions
    ---@field where? fun(element: any): any shows the elements for which it returns true
    ---@field only? any[] shows these elements, in this order
    ---@field env? table<string, any> what the rows find in `env`

    ---@class scripted.ui.DataOptions
    ---@field id? string the field that holds an element's id, "id" if absent; "self" for strings and numbers

    ---@class scripted.ui.ChildOptions
    ---@field env? table<string, any> what the child finds in `env`

    ---The elements of an attached `forEach`, by its action name; or a row for each element of a list, known by its
    ---id, or for each number of a range.
    ---@overload fun(list: any[], row: fun(element: any, index: integer): scripted.ui.Node): scripted.ui.Node
    ---@overload fun(list: any[], options: scripted.ui.DataOptions, row: fun(element: any, index: integer): scripted.ui.Node): scripted.ui.Node
    ---@overload fun(count: integer, row: fun(number: integer): scripted.ui.Node): scripted.ui.Node
    ---@overload fun(first: integer, last: integer, row: fun(number: integer): scripted.ui.Node): scripted.ui.Node
    ---@param action string
    ---@param options? scripted.ui.RowOptions
    ---@return scripted.ui.Node
    function ui.forEach(action, options) end

    ---A child, by the name of its action; nothing while it is absent. Without a name the present case of `cases`.
    ---@param action? string
    ---@param options? scripted.ui.ChildOptions
    ---@return scripted.ui.Node
    function ui.child(action, options) end

    ---@class scripted.ui.navigation
    ---@field [1] scripted.ui.Node what is shown below the entries
    ---@field path string the action name of an attached `stack`
    ---@field env? table<string, any> what the entries find in `env`

    ---A stack: its root, and the views of its entries above that. Going back sends `popFrom`.
    ---@param properties scripted.ui.navigation
    ---@return scripted.ui.Node
    function ui.navigation(properties) end

    ---@class scripted.ui.host: scripted.ui.Element
    ---@field name string the name by which the host draws it
    ---@field [string] any

    ---A view that the host draws.
    ---@param properties scripted.ui.host
    ---@return scripted.ui.Node
    function ui.host(properties) end

    """
}
