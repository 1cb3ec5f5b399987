import LuaBridge

// Compiles `ifLet`, `ifCaseLet`, `cases`, `stack`, `ignored` and `ephemeral`.
extension ReducerCompiler {
  // MARK: Scripts

  func ifLet(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let child = try reference(to: try description.get("child"), origin: origin)
    try child.reserve(["dismiss"], refusing: "dismiss", origin: origin)
    return IfLetNode(try parts(description, child, origin, &builder))
  }

  func stack(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let element = try reference(to: try description.get("child"), idKey: "id", origin: origin)
    try element.reserve(["push", "popFrom"], origin: origin)
    try element.keepEphemeral(origin: origin)
    return StackNode(try parts(description, element, origin, &builder))
  }

  func ifCaseLet(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    builder.isTagged = true
    let child = try reference(to: try description.get("child"), origin: origin)
    try child.keepEphemeral(origin: origin)
    return IfCaseLetNode(
      try parts(description, child, origin, &builder), idKey: builder.idKey)
  }

  /// Compiles the parts of an operator that a script describes with a state key.
  private func parts(
    _ description: LuaTable, _ child: DomainReference, _ origin: String,
    _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ChildParts {
    let action = try description.string("action") ?? ""
    let type = try builder.child(action, child, origin: origin)
    return ChildParts(
      base: try base(description, origin, &builder), child: child,
      state: StateAccess(path: try description.path()), type: type, action: action,
      bare: builder.bare, origin: origin)
  }

  func cases(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    var cases: [CasesNode.Case] = []
    if case .table(let list) = try description.get("cases") {
      for case .table(let entry) in try list.elements() {
        let reference = try reference(to: try entry.get("reducer"), origin: origin)
        cases.append(
          try self.case(try entry.string("name") ?? "", reference, origin, &builder))
      }
    }
    return self.cases(cases, origin, &builder)
  }

  // MARK: Swift

  func ifLet(
    _ base: Reducer, _ path: [String], _ action: String, _ child: Reducer, _ origin: String,
    _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let reference = try reference(to: child)
    try reference.reserve(["dismiss"], refusing: "dismiss", origin: origin)
    return IfLetNode(
      try parts(base, StateAccess(path: path), action, reference, origin, &builder))
  }

  func stack(
    _ base: Reducer, _ path: [String], _ action: String, _ element: Reducer, _ origin: String,
    _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let reference = try reference(to: element, idKey: "id")
    try reference.reserve(["push", "popFrom"], origin: origin)
    try reference.keepEphemeral(origin: origin)
    return StackNode(
      try parts(base, StateAccess(path: path), action, reference, origin, &builder))
  }

  func ifCaseLet(
    _ base: Reducer, _ name: String, _ child: Reducer, _ origin: String,
    _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    builder.isTagged = true
    let reference = try reference(to: child)
    try reference.keepEphemeral(origin: origin)
    return IfCaseLetNode(
      try parts(base, StateAccess(path: [name]), name, reference, origin, &builder),
      idKey: builder.idKey)
  }

  func cases(
    _ cases: [(String, Reducer)], _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    var made: [CasesNode.Case] = []
    for (name, reducer) in cases {
      made.append(try self.case(name, try reference(to: reducer), origin, &builder))
    }
    return self.cases(made, origin, &builder)
  }

  // MARK: Shared by Scripts and Swift

  private func `case`(
    _ name: String, _ reference: DomainReference, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> CasesNode.Case {
    let type = try builder.child(name, reference, origin: origin)
    guard let root = reference.madeDomain?.root, root is IgnoredNode else {
      try reference.keepEphemeral(origin: origin)
      return CasesNode.Case(name, type: type, .child(reference))
    }
    if root is EphemeralNode { builder.ephemeral.add(name) }
    return CasesNode.Case(name, type: type, .value)
  }

  private func cases(
    _ cases: [CasesNode.Case], _ origin: String, _ builder: inout DomainBuilder
  ) -> ReducerNode {
    builder.isTagged = true
    return CasesNode(cases, bare: builder.bare, idKey: builder.idKey, origin: origin)
  }

  func ignored(_ builder: inout DomainBuilder, _ origin: String) -> ReducerNode {
    builder.knowsAll = true
    return IgnoredNode(origin: origin)
  }

  func ephemeral(_ builder: inout DomainBuilder, _ origin: String) -> ReducerNode {
    builder.knowsAll = true
    builder.ephemeral = .whole
    return EphemeralNode(origin: origin)
  }
}

extension LuaTable {
  /// The dotted path in the description's field `key`, as a list of keys.
  fileprivate func path() throws(ScriptError) -> [String] { Reducer.path(try string("key") ?? "") }
}
