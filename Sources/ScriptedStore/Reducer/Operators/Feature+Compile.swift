import LuaBridge

extension ReducerCompiler {
  func feature(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let name = try description.string("name") ?? origin
    if builder.name == nil { (builder.name, builder.origin) = (name, origin) }
    let reduce = try description.handler("reduce")
    if reduce != nil { builder.vocabulary.takesAll = true }
    for case .string(let action) in try description.list("listed") {
      let path = try pattern(action, origin)
      _ = builder.vocabulary.add(handler: path.segments.map(\.name))
      builder.patterns.append(
        KnownPattern(rest: path.segments[...], text: action, feature: name, handler: nil))
    }
    let first = try binding(of: description, name, origin, &builder)
    let declared = try declared(description, name, origin)
    let key = FeatureKey(name: try description.string("name"), origin: origin)
    let (shared, dynamicShared) = try shared(description)
    let node = FeatureNode(
      name: name, owner: modules.vm.arena.pointee.owner(named: name), declared: declared,
      branches: try branches(description, name, origin, &builder), reduce: reduce,
      key: key, migration: try description.handler("migrate"), shared: shared,
      dynamicShared: dynamicShared, view: try view(of: description, name, origin),
      staticOutline: try staticOutline(description, declared, shared, dynamicShared), origin: origin
    )
    return first.map { CombineNode([$0, node], origin: origin) } ?? node
  }

  /// Reads a feature's `view`.
  private func view(
    of description: LuaTable, _ name: String, _ origin: String
  ) throws(ScriptError) -> ViewFunction? {
    guard let handler = try description.handler("view") else { return nil }
    return ViewFunction(
      body: .script(handler), owner: modules.vm.arena.pointee.owner(named: name), feature: name,
      origin: "view at \(handler.script):\(handler.line)")
  }

  /// Reads a feature's `shared`: the fields with keys, and those whose keys a function chooses.
  private func shared(
    _ description: LuaTable
  ) throws(ScriptError) -> (fixed: [SharedField], dynamic: [DynamicSharedField]) {
    var shared: (fixed: [SharedField], dynamic: [DynamicSharedField]) = ([], [])
    for case .table(let field) in try description.list("shared") {
      let name = try field.string("field") ?? ""
      switch try field.get("key") {
      case .table(let key): shared.fixed.append(SharedField(name: name, key: try SharedKey(key)))
      case .function(let choose):
        shared.dynamic.append(DynamicSharedField(name: name, choose: choose))
      default: break
      }
    }
    return shared
  }

  /// Reads the names in a feature's `dependencies`. Throws if a name is not a dependency.
  private func declared(
    _ description: LuaTable, _ name: String, _ origin: String
  ) throws(ScriptError) -> DeclaredDependencies {
    var names: [String] = []
    for case .string(let dependency) in try description.list("dependencies") {
      try dependencies.check(dependency, origin: name == origin ? name : "\(name) (\(origin))")
      names.append(dependency)
    }
    return DeclaredDependencies(names, feature: name)
  }

  private func branches(
    _ description: LuaTable, _ name: String, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> [Int: PatternBranch] {
    guard case .table(let on) = try description.get("on") else { return [:] }
    var branches: [Int: PatternBranch] = [:]
    for (key, handler) in try on.entries() {
      guard case .string(let text) = key, case .function(let function) = handler else { continue }
      let path = try pattern(text, origin)
      let handler = Handler(function)
      builder.patterns.append(
        KnownPattern(
          rest: path.segments[...], text: text, feature: name,
          handler: (handler.script, handler.line)))
      let first = path.segments[0]
      let type = builder.vocabulary.add(handler: path.segments.map(\.name))
      branches[type, default: PatternBranch()].add(first.id, path.segments.dropFirst(), handler)
    }
    return branches
  }

  private func pattern(_ text: String, _ origin: String) throws(ScriptError) -> ActionPath {
    do throws(ActionError) {
      return try ActionPath(text)
    } catch {
      throw ScriptError("\(origin): \(error.message)")
    }
  }

  /// Compiles the node that writes bindings before the feature's own handlers run; nil if the
  /// feature's field `binding` is not true. Also collects the feature's default state, which tells
  /// which binding keys are known.
  private func binding(
    of description: LuaTable, _ name: String, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode? {
    if case .table(let defaults) = try description.get("defaults") {
      builder.defaults.add(defaults)
    }
    guard try description.get("binding").bool == true else { return nil }
    return binding(
      name == origin ? name : "\(name) (\(origin))", isPartOfFeature: true, &builder)
  }

  /// Collects what `Feature.tree()` and `runner tree` show of a feature: its handlers, listed
  /// actions, dependencies, state keys and shared fields.
  private func staticOutline(
    _ description: LuaTable, _ declared: DeclaredDependencies, _ shared: [SharedField],
    _ dynamicShared: [DynamicSharedField]
  ) throws(ScriptError) -> NodeOutline {
    var outline = NodeOutline(kind: "feature")
    outline.dependencies = declared.names
    outline.shared = shared
    outline.dynamicShared = dynamicShared.map(\.name)
    if case .table(let on) = try description.get("on") {
      for case (.string(let pattern), .function(let function)) in try on.entries() {
        let place = function.definition()
        outline.handlers.append(
          .init(pattern: pattern, script: place?.script ?? "?", line: place?.line ?? 0))
      }
    }
    outline.handlers.sort { ($0.script, $0.line, $0.pattern) < ($1.script, $1.line, $1.pattern) }
    outline.actions = try description.list("listed").compactMap(\.string)
    if try description.get("binding").bool == true { outline.actions.append("binding") }
    if case .table(let defaults) = try description.get("defaults") {
      outline.defaults = defaults
      outline.state = try defaults.entries().compactMap(\.key.string).sorted()
    }
    return outline
  }
}
