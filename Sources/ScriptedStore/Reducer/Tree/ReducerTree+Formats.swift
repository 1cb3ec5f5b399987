import ScriptValue

extension ReducerTree: CustomStringConvertible {
  /// The tree for people: one line for each item, without a line break at the end.
  ///
  /// ```
  /// Todos (feature at todos.lua:18)
  ///   state: filter, todos
  ///   shared theme = fileStorage "settings.json":at("theme") (keys.lua:3)
  ///   dependencies: clock, uuid
  ///   on addTodoButtonTapped (todos.lua:25)
  ///   forEach todos[*] on state.todos (todos.lua:66)
  ///     Todo (feature at todo.lua:5)
  ///       on toggle (todo.lua:8)
  /// ```
  public var description: String {
    var lines: [String] = []
    add(to: &lines, indent: "")
    return lines.joined(separator: "\n")
  }

  private func add(to lines: inout [String], indent: String) {
    lines.append(indent + title)
    for line in details { lines.append("\(indent)  \(line)") }
    for child in children { child.add(to: &lines, indent: indent + "  ") }
  }

  private var title: String {
    if kind == "recursion" { return "\(name ?? "?") (as above)" }
    if kind == "case" { return "case \(name ?? "?")" }
    let suffix = origin.map { " at \($0)" } ?? ""
    if let name { return "\(name) (\(kind)\(suffix))" }
    var words = [kind]
    if let action { words.append(action) }
    if let key { words.append(kind == "dependency" ? key : "on state.\(key)") }
    return words.joined(separator: " ") + (origin.map { " (\($0))" } ?? "")
  }

  private var details: [String] {
    var lines: [String] = []
    if !state.isEmpty { lines.append("state: " + state.joined(separator: ", ")) }
    lines += shared.map { "shared \($0.field) = \($0.key) (\($0.origin))" }
    if !dependencies.isEmpty {
      lines.append("dependencies: " + dependencies.joined(separator: ", "))
    }
    lines += handlers.map { "on \($0.pattern) (\($0.origin))" }
    if !actions.isEmpty { lines.append("actions: " + actions.joined(separator: ", ")) }
    return lines
  }

  /// The tree for programs: an object with the properties of this type as fields, without those
  /// that are nil or empty.
  public var value: Value {
    var object = Value.Object()
    object["kind"] = .string(kind)
    object["name"] = name.map { .string($0) }
    object["origin"] = origin.map { .string($0) }
    object["key"] = key.map { .string($0) }
    object["action"] = action.map { .string($0) }
    object["state"] = ReducerTree.list(state.map { .string($0) })
    object["shared"] = ReducerTree.list(
      shared.map {
        ["field": .string($0.field), "key": .string($0.key), "origin": .string($0.origin)]
      })
    object["dependencies"] = ReducerTree.list(dependencies.map { .string($0) })
    object["handlers"] = ReducerTree.list(
      handlers.map { ["pattern": .string($0.pattern), "origin": .string($0.origin)] })
    object["actions"] = ReducerTree.list(actions.map { .string($0) })
    object["children"] = ReducerTree.list(children.map(\.value))
    return .object(object)
  }

  private static func list(_ values: [Value]) -> Value? {
    values.isEmpty ? .none : .some(.array(Value.List(values)))
  }

  /// The tree as a graph for Graphviz, with a line break at the end.
  public var dot: String {
    var (text, count) = ("digraph {\n  node [shape=box];\n", 0)
    _ = addNode(to: &text, &count)
    return text + "}\n"
  }

  /// Adds this tree to the text, and returns the number of its graph node.
  private func addNode(to text: inout String, _ count: inout Int) -> Int {
    let number = count
    count += 1
    let label = ([title] + details).map(ReducerTree.escaped).joined(separator: "\\l") + "\\l"
    text += "  n\(number) [label=\"\(label)\"];\n"
    for child in children {
      let below = child.addNode(to: &text, &count)
      text += "  n\(number) -> n\(below);\n"
    }
    return number
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }
}
