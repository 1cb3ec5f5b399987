import LuaBridge
import ScriptView

/// The Swift functions behind `test.view`: what a test finds on a screen, and what it does there.
extension TestStoreNatives {
  /// Something that a test has found.
  private final class FoundItem {
    let item: ViewItem

    init(_ item: ViewItem) { self.item = item }
  }

  func addViews(to table: LuaTable) throws(ScriptError) {
    // testView(reducer, state?, dependencies?, origin, line, durable, env?): a store with a view.
    try define(in: table, "testView") { natives, arguments in
      let store = try natives.store(for: arguments)
      let environment = try arguments.at(6).stateValue(named: "env")
      _ = store.look(environment?.object ?? [:])
      return .values([.object(store)])
    }
    // testFind(store, how, role, query): `how` is "find", "query" or "all"; the items.
    try define(in: table, "testFind") { try $0.find($1) }
    // testGesture(store, item?, gesture, argument?, expect?, list?): a statement. `list` is the item into which a row moves.
    try define(in: table, "testGesture", asValues: true) { try $0.perform($1) }
    // testScroll(store, item, row)
    try define(in: table, "testScroll") { natives, arguments in
      let view = try natives.view(arguments)
      guard let item = natives.item(arguments.at(1)) else { return .values([]) }
      let store = try natives.store(arguments)
      do throws(ViewRefusal) {
        try view.scroll(item.location.path, to: arguments.at(2).int ?? 1)
      } catch {
        return try natives.end(store, .failure(error.message))
      }
      return try natives.end(store, nil)
    }
    // testResize(store, width): a number of columns, "compact" or "regular".
    try define(in: table, "testResize") { natives, arguments in
      let columns = arguments.at(1).int
      let word = columns.map { ViewScreen.width(columns: $0) } ?? arguments.at(1).string
      try natives.view(arguments).resize(to: word ?? "regular", columns: columns)
      return try natives.end(try natives.store(arguments), nil)
    }
    // testDrawing(store, format, width?): "text", "html" or "tree".
    try define(in: table, "testDrawing") { natives, arguments in
      let view = try natives.view(arguments, mayExpect: true)
      let tree = view.viewScreen.root.node.value
      switch arguments.at(1).string {
      case "html": return .values([.string(HTMLDrawing.draw(tree))])
      case "tree": return .values([.value(view.tree)])
      default:
        return .values([.string(TextDrawing.draw(tree, width: arguments.at(2).int ?? view.columns))]
        )
      }
    }
    // testEvaluated(store), testAudit(store): lists of texts
    try define(in: table, "testEvaluated") { natives, arguments in
      Self.list(try natives.view(arguments, mayExpect: true).evaluated)
    }
    try define(in: table, "testAudit") { natives, arguments in
      Self.list(try natives.view(arguments).viewScreen.audit().map(\.message))
    }
    // testItem(item): what is known of it, as a table.
    try define(in: table, "testItem") { natives, arguments in
      guard let item = natives.item(arguments.at(0)) else { return .values([]) }
      return .values([.value(Self.described(item))])
    }
  }

  private func view(_ arguments: [LuaValue], mayExpect: Bool = false) throws -> TestView {
    let store = mayExpect ? try anyStore(arguments) : try store(arguments)
    guard let view = store.testView else {
      throw ScriptError("this store has no view; make one by test.view(Feature)")
    }
    return view
  }

  private func item(_ lua: LuaValue) -> ViewItem? {
    if case .object(let found as FoundItem) = lua { found.item } else { nil }
  }

  // MARK: Finding

  private func find(_ arguments: [LuaValue]) throws -> HostResult {
    let view = try view(arguments)
    let query = try query(arguments)
    let found: [ViewItem] =
      switch arguments.at(1).string {
      case "query": try view.viewScreen.query(query).map { [$0] } ?? []
      case "all": try view.viewScreen.all(query)
      default: [try view.find(query)]
      }
    return .values(found.map { .object(FoundItem($0)) })
  }

  /// The query of a role and `{ name, number, within, selected, disabled }`.
  private func query(_ arguments: [LuaValue]) throws -> ViewQuery {
    var query = ViewQuery(arguments.at(2).string ?? "")
    guard case .table(let fields) = arguments.at(3) else { return query }
    query.name = try fields.get("name").string
    query.number = try fields.get("number").int
    query.within = item(try fields.get("within"))?.location.path
    query.isSelected = try fields.get("selected").bool
    query.isDisabled = try fields.get("disabled").bool
    return query
  }

  private static func described(_ item: ViewItem) -> Value {
    let node = item.location.node
    var fields: Value.Object = [
      "role": .string(item.role), "disabled": .boolean(item.isDisabled),
      "selected": .boolean(item.isSelected), "node": node.value,
      "path": .string("\(item.location.path)"),
      "clearable": .boolean(node.element?.isClearable == true),
    ]
    if let name = item.name { fields["name"] = .string(name) }
    if let number = item.number { fields["number"] = .integer(Int64(number)) }
    if let value = node["value"] { fields["value"] = value }
    if let error = node.scalar("error") { fields["error"] = .string(error) }
    if let option = item.option { fields["value"] = option.value }
    return .object(fields)
  }

  // MARK: Doing

  private func perform(_ arguments: [LuaValue]) throws -> HostResult {
    let store = try store(arguments)
    let view = try view(arguments)
    let expect = try expectation(arguments.at(4))
    let outcome = view.perform(try gesture(arguments), on: item(arguments.at(1)))
    if outcome == nil, expect != nil {
      return try end(store, .failure("nothing was sent, so that there is nothing to expect"))
    }
    return try end(store, outcome, expect)
  }

  private func gesture(_ arguments: [LuaValue]) throws -> ViewGesture {
    let given = arguments.at(3)
    guard let argument = given.isNil ? .null : Value(given) else {
      throw ScriptError("\(given.typeNameWithArticle) cannot be entered")
    }
    switch arguments.at(2).string {
    case "type":
      let node = item(arguments.at(1))?.location.node
      return .enter(.string((node?.scalar("value") ?? "") + (argument.string ?? "\(argument)")))
    case "enter": return .enter(argument)
    case "submit": return .submit
    case "focus": return .focus
    case "blur": return .blur
    case "select": return .select(argument.isNull ? Optional.none : argument)
    case "delete": return .delete([])
    case "move":
      let list = item(arguments.at(5))?.location.path
      return .move([], to: argument.int ?? 1, into: list)
    case "dismiss": return .dismiss
    case "back": return .back
    case "press": return .press(argument.string ?? "")
    default: return .tap
    }
  }
}
