import ScriptValue

/// A node as it stands in a tree.
func node(
  _ kind: String, _ properties: Value.Object = [:], _ children: [Value] = []
) -> Value {
  var node: Value.Object = ["kind": .string(kind)]
  for (key, value) in properties { node[key] = value }
  if !children.isEmpty { node["children"] = .array(Value.List(children)) }
  return .object(node)
}

func text(_ text: String) -> Value { node("text", ["text": .string(text)]) }

func button(_ text: String, _ properties: Value.Object = [:]) -> Value {
  var node: Value.Object = ["kind": "button", "text": .string(text)]
  for (key, value) in properties { node[key] = value }
  return .object(node)
}

func heading(_ text: String) -> Value { node("heading", ["text": .string(text)]) }

/// A placed child.
func child(_ action: String, _ view: Value?) -> Value {
  node("child", ["action": .string(action)], view.map { [$0] } ?? [])
}

/// A view that raised, above what it has shown before.
func failed(
  _ message: String, location: String? = nil, traceback: String? = nil, _ last: Value? = nil
) -> Value {
  var error: Value.Object = ["message": .string(message)]
  if let location { error["location"] = .string(location) }
  if let traceback { error["traceback"] = .string(traceback) }
  return node("failed", ["error": .object(error)], last.map { [$0] } ?? [])
}

/// A row: a node with an id.
func row(_ id: Value, _ view: Value) -> Value {
  var row = view
  row["id"] = id
  return row
}

enum Screens {
  /// One todo as `todo.lua` shows it.
  static func todo(_ id: Int, _ description: String, done: Bool = false) -> Value {
    row(
      .integer(Int64(id)),
      node(
        "row", [:],
        [
          node(
            "toggle",
            [
              "label": "Done", "labelHidden": true, "bind": "isComplete", "value": .boolean(done),
            ]),
          node(
            "textField",
            [
              "label": "Untitled todo", "labelHidden": true, "bind": "description",
              "value": .string(description),
            ]),
        ]))
  }

  /// The todos of the contract, with what else is given to the screen.
  static func todos(_ rows: [Value], _ properties: Value.Object = [:]) -> Value {
    var screen: Value.Object = ["title": "Todos"]
    for (key, value) in properties { screen[key] = value }
    return node(
      "screen", screen,
      [
        node(
          "picker",
          [
            "label": "Filter", "bind": "filter", "value": "active", "style": "segmented",
            "options": ["all", "active", "completed"],
          ]),
        node(
          "list", ["onDelete": "delete", "onMove": "move"],
          [node("forEach", ["action": "todos"], rows)]),
        node(
          "toolbar", [:],
          [
            button("Clear completed", ["action": "clearCompletedButtonTapped", "disabled": true]),
            button(
              "Add",
              ["action": "addTodoButtonTapped", "shortcut": "mod+n", "role": "primary"]),
          ]),
      ])
  }

  static let milk = todos([todo(1, "Milk"), todo(2, "Bread", done: true)])

  /// An alert as the state of one is shown.
  static func alert(_ title: String, _ buttons: [Value], message: String? = nil) -> Value {
    var properties: Value.Object = ["title": .string(title)]
    if let message { properties["message"] = .string(message) }
    return node("alert", properties, buttons)
  }
}
