import LuaBridge

/// Compiles reducers that scripts or Swift describe into the tree of nodes that a store runs.
struct ReducerCompiler {
  let modules: ScriptModules
  /// The names that features may declare as dependencies.
  let dependencies: DependencyRegistry

  // MARK: Domains

  /// The domain of a script's reducer, or of the reducer that a script's function returns.
  ///
  /// - Parameter idKey: The key of an element's id, if the domain is that of elements; else nil.
  func domain(of reducer: LuaValue, idKey: String? = nil) throws(ScriptError) -> Domain {
    var builder = DomainBuilder()
    builder.idKey = idKey
    let root = try compile(reducer, &builder)
    return try domain(builder, root)
  }

  func domain(of reducer: Reducer, idKey: String? = nil) throws(ScriptError) -> Domain {
    var builder = DomainBuilder()
    builder.idKey = idKey
    let root = try compile(reducer, &builder)
    return try domain(builder, root)
  }

  private func domain(
    _ builder: consuming DomainBuilder, _ root: ReducerNode
  ) throws(ScriptError) -> Domain {
    let patterns = builder.patterns
    let domain = Domain(builder, root: root)
    for pattern in patterns { try domain.require(pattern) }
    return domain
  }

  /// The domain of a script's child. It is compiled now, or on first use if the script gave a
  /// function, so that a reducer may contain itself.
  func reference(
    to reducer: LuaValue, idKey: String? = nil, origin: String
  ) throws(ScriptError) -> DomainReference {
    if let idKey { modules.vm.arena.pointee.addIdentityKey(idKey) }
    if case .function(let make) = reducer {
      let number = try modules.prelude.lazyReducerNumber(of: reducer)
      return DomainReference(number) { () throws(ScriptError) in
        let made = try make.call().at(0)
        guard try modules.prelude.describe(made) != nil else {
          throw ScriptError(
            "\(origin): the function that stands for a reducer must return one, not "
              + made.typeNameWithArticle)
        }
        let domain = try domain(of: made, idKey: idKey)
        if let number { modules.lazyReducers.note(domain.root, madeBy: number) }
        return domain
      }
    }
    return DomainReference(try domain(of: reducer, idKey: idKey))
  }

  /// The domain of a child that is given in Swift: compiled now, or on first use if it is lazy.
  func reference(to reducer: Reducer, idKey: String? = nil) throws(ScriptError) -> DomainReference {
    if let idKey { modules.vm.arena.pointee.addIdentityKey(idKey) }
    guard case .lazy(let make) = reducer.kind else {
      return DomainReference(try domain(of: reducer, idKey: idKey))
    }
    return DomainReference { () throws(ScriptError) in try domain(of: make(), idKey: idKey) }
  }

  // MARK: Scripts

  private func compile(
    _ reducer: LuaValue, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    try modules.reducerDepth.enter()
    defer { modules.reducerDepth.leave() }
    if case .function(let make) = reducer { return try compile(try result(of: make), &builder) }
    guard let description = try modules.prelude.describe(reducer) else {
      throw ScriptError("a reducer is needed, this is a \(reducer.typeName)")
    }
    return try compile(description, &builder)
  }

  /// Calls a function that stands for a reducer.
  private func result(of make: LuaFunction) throws(ScriptError) -> LuaValue {
    let reducer = try make.call().at(0)
    if case .function = reducer {
      throw ScriptError("a function that stands for a reducer must return one, not a function")
    }
    return reducer
  }

  // There is one function for each kind of reducer: a single large function would take more stack
  // in each level of nested reducers.

  private func compile(
    _ description: LuaTable, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let origin = try description.string("origin") ?? "?"
    switch try description.string("kind") {
    case "feature": return try feature(description, origin, &builder)
    case "combine": return try combine(description, origin, &builder)
    case "scope": return try scope(description, origin, &builder)
    case "forEach": return try forEach(description, origin, &builder)
    case "dependency": return try dependency(description, origin, &builder)
    case "onChange": return try onChange(description, origin, &builder)
    case "binding": return binding(origin, &builder)
    case "optional": return try optional(description, origin, &builder)
    case "environment": return try environment(description, origin, &builder)
    case "print", "signpost": return try observer(description, origin, &builder)
    case "ifLet": return try ifLet(description, origin, &builder)
    case "ifCaseLet": return try ifCaseLet(description, origin, &builder)
    case "cases": return try cases(description, origin, &builder)
    case "stack": return try stack(description, origin, &builder)
    case "ignored": return ignored(&builder, origin)
    case "ephemeral": return ephemeral(&builder, origin)
    case "host": return try host(description, origin, &builder)
    default: throw ScriptError("unknown kind of reducer at \(origin)")
    }
  }

  private func combine(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    var nodes: [ReducerNode] = []
    if case .table(let list) = try description.get("reducers") {
      for reducer in try list.elements() { nodes.append(try compile(reducer, &builder)) }
    }
    return CombineNode(nodes, origin: origin)
  }

  private func host(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    guard case .integer(let number) = try description.get("number") else {
      throw ScriptError("a reducer of the host has no number at \(origin)")
    }
    return try compile(modules.hostReducers[Int(number)], &builder)
  }

  func base(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let base = try description.get("base")
    if case .nil = base { return CombineNode([], origin: origin) }
    return try compile(base, &builder)
  }

  private func scope(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let action = try description.string("action") ?? ""
    let child = try reference(to: try description.get("child"), origin: origin)
    try child.keepEphemeral(origin: origin)
    let type = try builder.child(action, child, origin: origin)
    let base = try base(description, origin, &builder)
    let state: StateAccess
    if let key = try description.string("key") {
      state = StateAccess(path: Reducer.path(key))
    } else if case .function(let get) = try description.get("get"),
      case .function(let set) = try description.get("set")
    {
      let owner = modules.vm.arena.pointee.owner(named: builder.name ?? "the parent's")
      state = StateAccess(get: Handler(get), set: Handler(set), owner: owner)
      modules.lazyReducers.hasFunctions = true
    } else {
      throw ScriptError("\(origin) has neither a key nor functions")
    }
    return ScopeNode(
      ChildParts(
        base: base, child: child, state: state, type: type, action: action, bare: builder.bare,
        origin: origin))
  }

  private func forEach(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let action = try description.string("action") ?? ""
    let idKey = try description.string("id") ?? "id"
    let element = try reference(to: try description.get("child"), idKey: idKey, origin: origin)
    try element.keepEphemeral(origin: origin)
    let type = try builder.child(action, element, origin: origin)
    let base = try base(description, origin, &builder)
    return ForEachNode(
      ChildParts(
        base: base, child: element,
        state: StateAccess(path: Reducer.path(try description.string("key") ?? "")),
        type: type, action: action, bare: builder.bare, origin: origin),
      idKey: idKey)
  }

  private func dependency(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let name = try description.string("dependency") ?? ""
    try dependencies.check(name, origin: origin)
    let change: DependencyOverride.Change
    if case .function(let transform) = try description.get("transform") {
      change = .scriptTransform(transform)
    } else {
      change = .script(try description.get("value"))
    }
    return DependencyNode(
      base: try base(description, origin, &builder),
      override: DependencyOverride(name, change, origin: origin))
  }

  // MARK: Features

  private func feature(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let name = try description.string("name") ?? origin
    if builder.name == nil { (builder.name, builder.origin) = (name, origin) }
    var reduce: Handler?
    if case .function(let function) = try description.get("reduce") {
      reduce = Handler(function)
      builder.knowsAll = true
    }
    if case .table(let listed) = try description.get("listed") {
      for action in try listed.elements() {
        guard case .string(let action) = action else { continue }
        let path = try pattern(action, origin)
        let type = builder.type(
          path.segments[0].name, known: path.segments.dropFirst().map(\.name)[...])
        if path.segments.count == 1 { builder.bare.add(type) }
      }
    }
    let first = try binding(of: description, name, origin, &builder)
    let declared = try declared(description, name, origin)
    var migration: Handler?
    if case .function(let function) = try description.get("migrate") {
      migration = Handler(function)
    }
    let key = FeatureKey(name: try description.string("name"), origin: origin)
    let node = FeatureNode(
      name: name, owner: modules.vm.arena.pointee.owner(named: name), declared: declared,
      branches: try branches(description, name, origin, &builder), reduce: reduce,
      key: key, migration: migration,
      drawing: try drawing(description, declared), origin: origin)
    return first.map { CombineNode([$0, node], origin: origin) } ?? node
  }

  /// Reads the names in a feature's `dependencies`. Throws if a name is not a dependency.
  private func declared(
    _ description: LuaTable, _ name: String, _ origin: String
  ) throws(ScriptError) -> DeclaredDependencies {
    var names: [String] = []
    if case .table(let list) = try description.get("dependencies") {
      for case .string(let dependency) in try list.elements() {
        try dependencies.check(dependency, origin: name == origin ? name : "\(name) (\(origin))")
        names.append(dependency)
      }
    }
    return DeclaredDependencies(names, feature: name)
  }

  private func branches(
    _ description: LuaTable, _ name: String, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> [PatternBranch?] {
    guard case .table(let on) = try description.get("on") else { return [] }
    var branches: [PatternBranch?] = []
    for (key, handler) in try on.entries() {
      guard case .string(let text) = key, case .function(let function) = handler else { continue }
      let path = try pattern(text, origin)
      let handler = Handler(function)
      if path.segments.count > 1 {
        builder.patterns.append(
          KnownPattern(
            rest: path.segments[...], text: text, feature: name, script: handler.script,
            line: handler.line))
      }
      let first = path.segments[0]
      let type =
        builder.hasChild(first.name)
        ? builder.type(first.name)
        : builder.type(first.name, known: path.segments.dropFirst().map(\.name)[...])
      if path.segments.count == 1 { builder.bare.add(type) }
      while branches.count <= type { branches.append(nil) }
      branches[type, default: PatternBranch()]
        .add(first.id, path.segments.dropFirst(), handler)
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

  // MARK: Swift

  func compile(
    _ reducer: Reducer, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    try modules.reducerDepth.enter()
    defer { modules.reducerDepth.leave() }
    switch reducer.kind {
    case .binding: return binding(reducer.origin, &builder)
    case .onChange, .optional, .printing, .signpost: return try observer(reducer, &builder)
    case .empty: return CombineNode([], origin: reducer.origin)
    case .script(let module): return try compile(try modules.require(module), &builder)
    case .reduce(let body):
      builder.knowsAll = true
      return SwiftReduceNode(body, origin: reducer.origin)
    case .combine(let reducers):
      var nodes: [ReducerNode] = []
      for reducer in reducers { nodes.append(try compile(reducer, &builder)) }
      return CombineNode(nodes, origin: reducer.origin)
    case .scope(let base, let path, let action, let child):
      let reference = try reference(to: child)
      try reference.keepEphemeral(origin: reducer.origin)
      return ScopeNode(
        try parts(
          base, StateAccess(path: path), action, reference, reducer.origin, &builder))
    case .forEach(let base, let path, let action, let idKey, let element):
      let reference = try reference(to: element, idKey: idKey)
      try reference.keepEphemeral(origin: reducer.origin)
      return ForEachNode(
        try parts(base, StateAccess(path: path), action, reference, reducer.origin, &builder),
        idKey: idKey)
    case .ifLet(let base, let path, let action, let child):
      return try ifLet(base, path, action, child, reducer.origin, &builder)
    case .ifCaseLet(let base, let name, let child):
      return try ifCaseLet(base, name, child, reducer.origin, &builder)
    case .cases(let cases): return try self.cases(cases, reducer.origin, &builder)
    case .stack(let base, let path, let action, let element):
      return try stack(base, path, action, element, reducer.origin, &builder)
    case .ignored: return ignored(&builder, reducer.origin)
    case .ephemeral: return ephemeral(&builder, reducer.origin)
    case .lazy(let make): return try compile(make(), &builder)
    case .dependency(let base, let name, let change):
      // The base is compiled first: a script in it may declare the dependency.
      let base = try compile(base, &builder)
      try dependencies.check(name, origin: reducer.origin)
      return DependencyNode(
        base: base,
        override: DependencyOverride(name, .host(change), origin: reducer.origin))
    }
  }
}

extension ReducerCompiler {
  /// Compiles the parts of an operator that is described in Swift.
  func parts(
    _ base: Reducer, _ state: StateAccess, _ action: String, _ child: DomainReference,
    _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ChildParts {
    let type = try builder.child(action, child, origin: origin)
    return ChildParts(
      base: try compile(base, &builder), child: child, state: state, type: type, action: action,
      bare: builder.bare, origin: origin)
  }
}

extension [PatternBranch?] {
  fileprivate subscript(index: Int, default default: PatternBranch) -> PatternBranch {
    get { self[index] ?? `default` }
    set { self[index] = newValue }
  }
}
