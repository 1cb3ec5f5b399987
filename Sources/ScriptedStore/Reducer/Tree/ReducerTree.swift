import LuaBridge

/// How a reducer is composed: a feature or a group of reducers, and below it the operators attached
/// to it.
public struct ReducerTree: Sendable, Hashable {
  /// A handler of a feature. Its pattern is a key of the feature's `on`, or `*` for its `reduce`.
  public struct Handler: Sendable, Hashable {
    public let pattern: String
    /// The script line of the handler: `todos.lua:31`.
    public fileprivate(set) var origin: String
  }

  /// A field of a feature's state whose truth is a shared value.
  public struct SharedField: Sendable, Hashable {
    public let field: String
    /// The key as scripts write it, without `scripted.shared`: `fileStorage "settings.json":at("theme")`;
    /// `function(state)` if a function chooses it.
    public let key: String
    /// The script line of the key: `keys.lua:4`.
    public fileprivate(set) var origin: String
    /// The value that the key declares; nil if a function makes it.
    package let defaultValue: Value?
  }

  /// `feature`, `reduce`, `combine`, `case`, or an operator: `scope`, `forEach`, `onChange`,
  /// `dependency`, … `recursion` stands for a feature that contains this part of the tree.
  public let kind: String
  /// The name of a feature, of a case, or of the feature that a `recursion` repeats.
  public let name: String?
  /// The source line of the declaration: `todos.lua:18`, or `App/Clock.swift:12` for a reducer in
  /// Swift.
  public private(set) var origin: String?
  /// For an operator: the path of the child's state, or the name of the dependency.
  public let key: String?
  /// For an operator with a child: the type of the child's actions, as `todos` or `todos[*]`.
  public let action: String?
  /// For an operator with a child: when the child is there. Nil for `cases` and its children.
  package let presence: ChildPresence?
  /// For an operator with a child: types of actions that stand in place of the child's, and are the operator's own, as
  /// `dismiss`.
  package let ownActions: [String]
  /// The keys of a feature's initial state, sorted.
  public let state: [String]
  /// A feature's initial state; nil if it has none.
  package let defaults: Value?
  /// A feature's shared fields, sorted by name.
  public private(set) var shared: [SharedField]
  /// The names that a feature declares in `dependencies`.
  public let dependencies: [String]
  /// A feature's handlers, sorted by script and line; `reduce` comes last.
  public private(set) var handlers: [Handler]
  /// Action types that are known and have no handler here.
  public let actions: [String]
  /// The reducers of a group in the order in which they run, the operators of a reducer in the
  /// order in which they are attached, or the child reducers of an operator.
  public private(set) var children: [ReducerTree]
}

extension ReducerTree {
  /// Calls the functions that stand for lazy children.
  init(of domain: Domain) throws(ScriptError) {
    self = try ReducerTree.tree(of: domain, inside: [])
  }

  private static func tree(
    of domain: Domain, inside above: [String]
  ) throws(ScriptError) -> ReducerTree {
    try tree(of: domain.root, inside: above + [domain.identity])
  }

  private static func tree(
    of node: ReducerNode, inside above: [String]
  ) throws(ScriptError) -> ReducerTree {
    let outline = node.outline
    var parts: [ReducerTree] = []
    for part in node.parts where !part.outline.isPartOfFeature {
      parts.append(try tree(of: part, inside: above))
    }
    guard outline.kind != "combine" else {
      return parts.count == 1 ? parts[0] : ReducerTree(outline, node, parts)
    }
    var children: [ReducerTree] = []
    for (name, domain) in outline.children {
      children.append(try child(domain, name, inside: above))
    }
    let own = ReducerTree(outline, node, children)
    guard var base = parts.first, base.kind != "combine" || !base.children.isEmpty else {
      return own
    }
    base.children.append(own)
    return base
  }

  private static func child(
    _ reference: DomainReference, _ name: String?, inside above: [String]
  ) throws(ScriptError) -> ReducerTree {
    let domain = try reference.domain()
    let child: ReducerTree
    if reference.isLazy && above.contains(domain.identity) {
      child = ReducerTree(kind: "recursion", name: domain.name)
    } else {
      child = try tree(of: domain, inside: above)
    }
    // A child with a name is for one case.
    return name.map { ReducerTree(kind: "case", name: $0, children: [child]) } ?? child
  }

  private init(_ outline: NodeOutline, _ node: ReducerNode, _ children: [ReducerTree]) {
    let isFeature = outline.kind == "feature"
    let made = node.origin.split(separator: " ", maxSplits: 2)
    let hasPlace = made.count == 3 && made[1] == "at"
    // `scripted.reduce` makes a feature that has only a `reduce`.
    kind = isFeature && hasPlace ? String(made[0]) : outline.kind
    origin = hasPlace ? String(made[2]) : nil
    name = isFeature && node.feature != node.origin ? node.feature : nil
    key = outline.key
    action = outline.action
    presence = outline.presence
    ownActions = outline.ownActions
    state = outline.state
    defaults = outline.defaults.flatMap { try? $0.value() }
    let fixed = outline.shared.map {
      SharedField(
        field: $0.name, key: $0.key.description, origin: $0.key.origin,
        defaultValue: (try? $0.key.plainDefault()) ?? nil)
    }
    let dynamic = outline.dynamicShared.map { [origin] in
      SharedField(field: $0, key: "function(state)", origin: origin ?? "?", defaultValue: nil)
    }
    shared = (fixed + dynamic).sorted { $0.field < $1.field }
    dependencies = outline.dependencies
    handlers = outline.handlers.map {
      Handler(pattern: $0.pattern, origin: "\($0.script):\($0.line)")
    }
    actions = outline.actions
    self.children = children
  }

  /// For an operator with a child: the type of the child's actions as they have it, without the `[*]` of elements.
  package var childAction: String? {
    presence?.hasIDs == true ? action.map { String($0.dropLast("[*]".count)) } : action
  }

  /// The tree with other texts in place of its source lines.
  package func mapOrigins(_ transform: (String) -> String) -> ReducerTree {
    var tree = self
    tree.origin = origin.map(transform)
    for index in handlers.indices {
      tree.handlers[index].origin = transform(handlers[index].origin)
    }
    for index in shared.indices { tree.shared[index].origin = transform(shared[index].origin) }
    tree.children = children.map { $0.mapOrigins(transform) }
    return tree
  }

  private init(kind: String, name: String, children: [ReducerTree] = []) {
    self.kind = kind
    self.name = name
    (origin, key, action, presence, defaults) = (nil, nil, nil, nil, nil)
    (ownActions, state, shared, dependencies, handlers, actions) = ([], [], [], [], [], [])
    self.children = children
  }
}

// MARK: - Formats

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
