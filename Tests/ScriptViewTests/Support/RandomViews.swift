import ScriptValue
import ScriptView

/// Trees to try things on, and random changes of them. Small alphabets, so that ids and texts meet
/// again.
///
/// Rows of one `forEach` have different ids or occurrences; all else may be wrong, as in trees made
/// by hand.
enum RandomViews {
  static func tree(_ random: inout SplitMix, depth: Int = 4) -> Value {
    let container = ["column", "row", "list", "screen", "form", "section", "table", "tabs", "grid"]
    var tree = node(pick(container, &random))
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      setProperty(&tree, &random, depth: min(depth, 2))
    }
    setChildren(&tree, &random, depth: depth - 1)
    return tree
  }

  private static func pick<T>(_ choices: [T], _ random: inout SplitMix) -> T {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  private static func value(_ choices: [Value], _ random: inout SplitMix) -> Value {
    pick(choices, &random)
  }

  // MARK: Nodes

  private static func someChild(_ random: inout SplitMix, depth: Int) -> Value {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: return .null
    case 1: return .string(someText(&random))
    case 2: return value([false, 3, 2.5, [], ["x"], node("nonsense")], &random)
    case 3...6 where depth > 0: return forEach(&random, depth: depth)
    case 7 where depth > 0:
      var place = node("child", ["action": .string(pick(["a", "b.c"], &random))])
      if Bool.random(using: &random) {
        place["children"] = [someChild(&random, depth: depth - 1)]
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        place["children"] = [failed(someText(&random), location: "a.lua:3", text("last"))]
      }
      return place
    case 8 where depth > 0:
      return node(
        "navigation", ["action": "path"],
        [tree(&random, depth: depth - 1), forEach(&random, depth: depth - 1)])
    case 9...13 where depth > 0: return tree(&random, depth: depth - 1)
    default:
      var leaf = node(pick(ViewElement.all.map(\.kind), &random))
      for _ in 0..<Int.random(in: 0...5, using: &random) { setProperty(&leaf, &random) }
      return leaf
    }
  }

  private static func forEach(_ random: inout SplitMix, depth: Int) -> Value {
    var rows: [Value] = []
    for _ in 0..<pick([0, 1, 2, 5, 12, 30], &random) {
      insertRow(&rows, at: rows.count, &random, depth: depth - 1)
    }
    return node("forEach", ["action": "rows"], rows)
  }

  /// Inserts a row with an id that may be that of another one; then it has another occurrence.
  private static func insertRow(
    _ rows: inout [Value], at index: Int, _ random: inout SplitMix, depth: Int
  ) {
    let id: Value =
      Bool.random(using: &random)
      ? .integer(Int64.random(in: 0..<60, using: &random))
      : .string(pick(["a", "b", "3"], &random))
    var node = someChild(&random, depth: min(depth, 1))
    if node.object == nil { node = ["kind": "nothing"] }
    node["id"] = id
    var occurrence = 1
    while rows.contains(where: {
      $0["id"] == id && ($0["occurrence"].int ?? 1) == occurrence
    }) {
      occurrence += 1
    }
    if occurrence > 1 { node["occurrence"] = .integer(Int64(occurrence)) }
    rows.insert(node, at: index)
  }

  private static func setChildren(_ node: inout Value, _ random: inout SplitMix, depth: Int) {
    let children = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      someChild(&random, depth: depth)
    }
    node["children"] = .array(Value.List(children))
    if children.isEmpty, Int.random(in: 0..<4, using: &random) > 0 {
      node.remove(at: "children")
    }
  }

  static func someText(_ random: inout SplitMix) -> String {
    pick(
      [
        "", "Milk", "Milk and honey from the land of promises", "<b>&\"'", "牛乳", "e\u{301}",
        "a\nb", "\u{1B}[31m", "\u{202E}evil", "👩‍👩‍👧", "\t", " ", "javascript:alert(1)",
        "https://a.b/?q=\"", "\u{200B}", "\u{301}",
      ], &random)
  }

  private static func setProperty(
    _ node: inout Value, _ random: inout SplitMix, depth: Int = 0
  ) {
    let element = ViewElement.named(node["kind"].string ?? "")
    let names =
      (element?.properties.map(\.name) ?? []) + ["window", "selected", "focused", "title", "wrong"]
    let name = pick(names, &random)
    if ViewElement.presentations.contains(name), depth > 0 {
      node[name] = child("a.b", tree(&random, depth: depth - 1))
      return
    }
    node[name] = property(element?.property(name)?.kind ?? .any, &random)
  }

  private static func property(_ kind: ViewProperty.Kind, _ random: inout SplitMix) -> Value {
    if Int.random(in: 0..<6, using: &random) == 0 {
      return value([.null, true, 1, 1.0, "text", [], [1.0, "a"], ["x": [1]]], &random)
    }
    switch kind {
    case .boolean: return .boolean(Bool.random(using: &random))
    case .number: return value([0, 1, 2.5, -3, 1e300, 40], &random)
    case .word(let words): return .string(pick(words, &random))
    case .count: return value([1, 2, 3, "fit"], &random)
    case .action: return value(["save", ["rename", ["title": "x"]], ["type": "save"]], &random)
    case .field: return value(["name", "user.name"], &random)
    case .names: return value(["a", ["a", "b"], []], &random)
    case .shapes: return []
    case .file:
      return value(["a/b.png", ["name": "cat.png", "path": "a.png", "size": 3]], &random)
    case .icon: return value(["star", "wallet", "★"], &random)
    case .shortcut: return value(["mod+n", "ctrl+shift+k", "?"], &random)
    case .options:
      return value([["a", "b"], [1, 2.0], [["value": 1, "label": "one"], "a"]], &random)
    case .columns:
      return value(
        [[["title": "A", "grow": true], ["title": "B", "align": "end"]], []], &random)
    case .any:
      return value(
        [1, 2.5, true, "a", "2024-01-02", ["first": 2, "count": 3, "total": 40], .null], &random)
    default: return .string(someText(&random))
    }
  }

  // MARK: Changes

  /// Changes one thing somewhere in a tree. What it does not touch keeps its nodes.
  static func edit(_ node: inout Value, _ random: inout SplitMix) {
    guard case .object(let object) = node else {
      node = someChild(&random, depth: 1)
      return
    }
    let children = ViewNode(node).children
    if !children.isEmpty, Int.random(in: 0..<10, using: &random) < 7 {
      if object["kind"] == "forEach", Bool.random(using: &random) {
        editRows(&node, &random)
        return
      }
      let index = Int.random(in: 0..<children.count, using: &random)
      var inner = children[index]
      let row = ViewNode(inner).row
      edit(&inner, &random)
      if let row, object["kind"] == "forEach" {
        if inner.object == nil { inner = ["kind": "nothing"] }
        inner["id"] = row.id
        inner.remove(at: "occurrence")
        if row.occurrence > 1 { inner["occurrence"] = .integer(Int64(row.occurrence)) }
      }
      node["children"][index] = inner
      return
    }
    let presented = ViewElement.presentations.filter { object[$0]?.object != nil }
    switch Int.random(in: 0..<8, using: &random) {
    case 0 where object["kind"] != "forEach": setChildren(&node, &random, depth: 1)
    case 1 where object["kind"] != "forEach":
      var list = children
      list.append(someChild(&random, depth: 1))
      node["children"] = .array(list)
    case 2 where object["kind"] != "forEach" && children.count > 1:
      var list = children
      list.removeLast()
      node["children"] = .array(list)
    case 3:
      let names = Array(object.keys).filter {
        !["kind", "id", "occurrence", "children"].contains($0)
      }
      if let name = names.randomElement(using: &random) { node.remove(at: ValuePath([.key(name)])) }
    case 4 where !presented.isEmpty:
      var inner = object[presented[0]] ?? .null
      edit(&inner, &random)
      node[presented[0]] = inner
    case 5 where ViewNode(node).row == nil: node = someChild(&random, depth: 1)
    default: setProperty(&node, &random, depth: 1)
    }
  }

  private static func editRows(_ node: inout Value, _ random: inout SplitMix) {
    var list = ViewNode(node).children
    for _ in 0..<pick([1, 1, 1, 2, 5, 20], &random) {
      let index = Int.random(in: 0...list.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        var rows = Array(list)
        insertRow(&rows, at: index, &random, depth: 1)
        if rows.count == list.count + 1 { list.insert(rows[index], at: index) }
      case 2 where index < list.count: list.remove(at: index)
      case 3 where index < list.count:
        let row = list.remove(at: index)
        list.insert(row, at: Int.random(in: 0...list.count, using: &random))
      case 4: list = Value.List(list.shuffled(using: &random))
      default:
        if list.count > 1 {
          list.swapAt(0, list.count - 1)
        }
      }
    }
    if list.isEmpty { node.remove(at: "children") } else { node["children"] = .array(list) }
  }
}
