import LuaBridge

/// Compiles bindings and the operators that add to a reducer without a child: `onChange`,
/// `optional`, `pullback`'s dependencies, printing and signposts.
extension ReducerCompiler {
  // MARK: Scripts

  func onChange(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let base = try base(description, origin, &builder)
    guard case .function(let handler) = try description.get("handler") else {
      throw ScriptError("\(origin) has no function")
    }
    let feature = base.firstFeature ?? feature(named: builder.name ?? origin, origin)
    let subject: OnChangeNode.Subject
    if case .function(let function) = try description.get("of") {
      let owner = modules.vm.arena.pointee.owner(named: builder.name ?? "the parent's")
      subject = .script(Handler(function), owner: owner)
    } else {
      subject = .path(StateAccess(path: Reducer.path(try description.string("key") ?? "")))
    }
    return OnChangeNode(
      base: base, subject: subject, reaction: .script(Handler(handler), feature), origin: origin)
  }

  /// A node without handlers that stands in for a feature where the operator's base contains none.
  /// The operator's handlers take their name, draft owner and dependencies from it.
  private func feature(named name: String, _ origin: String) -> FeatureNode {
    FeatureNode(
      name: name, owner: modules.vm.arena.pointee.owner(named: name),
      declared: DeclaredDependencies([], feature: name), branches: [], reduce: nil,
      key: FeatureKey(name: nil, origin: origin), migration: nil,
      drawing: NodeOutline(kind: "feature"), origin: origin)
  }

  func binding(
    _ origin: String, isPartOfFeature: Bool = false, _ builder: inout DomainBuilder
  ) -> ReducerNode {
    let type = builder.type("binding", known: [])
    builder.bare.add(type)
    builder.handlesBindings = true
    return BindingNode(
      type: type, defaults: builder.defaults, isPartOfFeature: isPartOfFeature, origin: origin)
  }

  /// Compiles the node that writes bindings before the feature's own handlers run; nil if the
  /// feature's field `binding` is not true. Also collects the feature's default state, which tells
  /// which binding keys are known.
  func binding(
    of description: LuaTable, _ name: String, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode? {
    if case .table(let defaults) = try description.get("defaults") {
      builder.defaults.add(defaults)
    }
    guard try description.get("binding").bool == true else { return nil }
    return binding(
      name == origin ? name : "\(name) (\(origin))", isPartOfFeature: true, &builder)
  }

  func optional(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    builder.optional = origin
    return try base(description, origin, &builder)
  }

  func environment(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    guard case .function(let make) = try description.get("make") else {
      throw ScriptError("\(origin) has no function")
    }
    return EnvironmentNode(
      base: try base(description, origin, &builder), make: make, registry: dependencies,
      origin: origin)
  }

  /// Compiles `printChanges`, `printActions` or `signpost`.
  func observer(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let base = try base(description, origin, &builder)
    let prefix = try description.string("prefix")
    guard try description.string("kind") == "print" else {
      return SignpostNode(base: base, prefix: prefix, origin: origin)
    }
    return PrintingNode(
      base: base, prefix: prefix, showsChanges: try description.get("changes").bool ?? false,
      origin: origin)
  }

  /// Collects what `Feature.tree()` and `runner tree` show of a feature: its handlers, listed
  /// actions, dependencies and state keys.
  func drawing(
    _ description: LuaTable, _ declared: DeclaredDependencies
  ) throws(ScriptError) -> NodeOutline {
    var outline = NodeOutline(kind: "feature")
    outline.dependencies = declared.names
    if case .table(let on) = try description.get("on") {
      for case (.string(let pattern), .function(let function)) in try on.entries() {
        let place = function.definition()
        outline.handlers.append(
          .init(pattern: pattern, script: place?.script ?? "?", line: place?.line ?? 0))
      }
    }
    outline.handlers.sort { ($0.script, $0.line, $0.pattern) < ($1.script, $1.line, $1.pattern) }
    if case .table(let listed) = try description.get("listed") {
      outline.actions = try listed.elements().compactMap(\.string)
    }
    if try description.get("binding").bool == true { outline.actions.append("binding") }
    if case .table(let defaults) = try description.get("defaults") {
      outline.state = try defaults.entries().compactMap(\.key.string).sorted()
    }
    return outline
  }

  // MARK: Swift

  func observer(
    _ reducer: Reducer, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    switch reducer.kind {
    case .onChange(let base, let watched, let body):
      let subject: OnChangeNode.Subject =
        switch watched {
        case .path(let path): .path(StateAccess(path: path))
        case .function(let function): .host(function)
        }
      return OnChangeNode(
        base: try compile(base, &builder), subject: subject, reaction: .host(body),
        origin: reducer.origin)
    case .optional(let base):
      builder.optional = reducer.origin
      return try compile(base, &builder)
    case .printing(let base, let prefix, let changes):
      return PrintingNode(
        base: try compile(base, &builder), prefix: prefix, showsChanges: changes,
        origin: reducer.origin)
    case .signpost(let base, let prefix):
      return SignpostNode(
        base: try compile(base, &builder), prefix: prefix, origin: reducer.origin)
    default: throw ScriptError("\(reducer.origin) is no observer")
    }
  }
}
