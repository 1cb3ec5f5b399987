import ScriptValue

/// The elements that arrange others.
extension HTMLBuilder {
  /// What a menu or a disclosure holds, below its label.
  mutating func details(_ location: ViewLocation, isOpen: Bool) {
    var details = element("details", location, isNamed: true)
    details.set("open", if: isOpen)
    wrap(details) { builder in
      let (label, icon) = (location.node.scalar("label"), location.node.iconForLabel)
      var summary = HTMLElement("summary", text: icon == nil ? label ?? "" : "")
      if icon != nil { summary.set("aria-label", label) }
      summary.set("data-icon", location.node.string("icon"))
      builder.writer.line(summary)
      builder.children(of: location)
    }
  }

  /// An element with its title as the first line, and its footer as the last one.
  mutating func titled(_ tag: String, _ titleTag: String, _ location: ViewLocation) {
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

  mutating func tabs(_ location: ViewLocation) {
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
