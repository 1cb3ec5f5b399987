import ScriptValue
import ScriptView

/// The list of the shortcuts of the screen, which `?` opens.
extension TerminalScreen {
  /// Whether `?` opens it now: it is a letter in a text, and may be a shortcut itself.
  var canListShortcuts: Bool {
    guard !listsShortcuts, focused?.takesText != true else { return false }
    return layers.last { !$0.isOpened }?.location.listedShortcuts.isEmpty == false
  }

  /// The list as a tree; nil if there is nothing to list.
  func shortcutList(of layer: ViewScreen.Layer) -> Value? {
    let rows = layer.content.listedShortcuts.map { location, text -> Value in
      let node = location.node
      let name = node.elementKind == .toast ? node.toastButton : node.label ?? node.string("icon")
      return ["kind": "row", "children": [.string(name ?? ""), .string(shownKey(text))]]
    }
    guard !rows.isEmpty else { return nil }
    let table: Value = ["kind": "table", "children": .array(Value.List(rows))]
    return ["kind": "screen", "title": "Keyboard shortcuts", "children": [table]]
  }

  /// The keys while it is open: those that scroll, and the one that has opened it.
  func handleInShortcutList(_ key: Key) {
    let page = max(top.viewport.rows - 1, 1)
    switch key {
    case .character("?"): listsShortcuts = false
    case .up: scroll(by: -1)
    case .down: scroll(by: 1)
    case .pageUp: scroll(by: -page)
    case .pageDown: scroll(by: page)
    case .home: scroll(by: -top.lastScroll)
    case .end: scroll(by: top.lastScroll)
    default: break
    }
  }

  /// `mod+n` as it is typed here: `Ctrl-N`, or with Alt where the terminal keeps Ctrl for itself.
  func shownKey(_ shortcut: String) -> String {
    // The key itself may be a plus.
    let parts =
      shortcut.lowercased().split(separator: "+").map(String.init)
      + (shortcut.hasSuffix("+") ? ["+"] : [])
    let usesAlt = parts.last.map { Self.kept.contains($0) } ?? false
    return parts.map { part in
      switch part {
      case "mod": usesAlt ? "Alt" : "Ctrl"
      default: part.prefix(1).uppercased() + part.dropFirst()
      }
    }.joined(separator: "-")
  }

  /// The keys that with Control are others, or the program's own: Ctrl-I is Tab.
  private static let kept: Set<String> = ["c", "h", "i", "j", "l", "m", "z", "enter", "["]
}
