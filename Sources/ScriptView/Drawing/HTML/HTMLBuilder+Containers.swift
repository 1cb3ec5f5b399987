import ScriptValue

/// The elements that arrange others.
extension HTMLBuilder {
  mutating func arranging(_ location: ViewLocation) {
    let node = location.node
    switch node.kind {
    case "screen": titled("section", "h1", location)
    case "section": titled("section", "h2", location)
    case "group": titled("fieldset", "legend", location)
    case "form": wrap(element("form", location)) { $0.children(of: location) }
    case "list": list(location)
    case "table": table(location)
    case "tabs": tabs(location)
    case "disclosure":
      var details = element("details", location, isNamed: true)
      details.set("open", if: node["value"]?.bool != false)
      wrap(details) { builder in
        builder.writer.line(HTMLElement("summary", text: node.scalar("label") ?? ""))
        builder.children(of: location)
      }
    default:
      var box = element("div", location)
      if node.kind == "toolbar" { box.set("role", "toolbar") }
      if node.kind == "grid" { box.set("data-columns", node.scalar("columns")) }
      wrap(box) { $0.children(of: location) }
    }
  }

  /// An element with its title as the first line, and its footer as the last one.
  private mutating func titled(_ tag: String, _ titleTag: String, _ location: ViewLocation) {
    let node = location.node
    wrap(element(tag, location)) { builder in
      if let title = node.scalar("title"), !title.isEmpty {
        builder.writer.line(HTMLElement(titleTag, text: title))
      }
      builder.children(of: location)
      if let footer = node.scalar("footer"), !footer.isEmpty {
        builder.writer.line(HTMLElement("footer", text: footer))
      }
    }
  }

  private mutating func tabs(_ location: ViewLocation) {
    let chosen = location.chosenTab?.path
    wrap(element("div", location)) { builder in
      var list = HTMLElement("div")
      list.set("role", "tablist")
      builder.wrap(list) { builder in
        for tab in location.tabs {
          var button = HTMLElement("button")
          button.set("type", "button")
          button.set("role", "tab")
          button.set("aria-selected", tab.path == chosen ? "true" : "false")
          button.append(text: tab.tabName ?? "")
          builder.writer.line(button)
        }
      }
      var panel = HTMLElement("div")
      panel.set("role", "tabpanel")
      builder.wrap(panel) { $0.children(of: location) }
    }
  }
}
