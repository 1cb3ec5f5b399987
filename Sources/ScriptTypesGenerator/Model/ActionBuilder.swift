import ScriptedStore

/// Makes the enum of a domain's actions.
struct ActionBuilder {
  private let resolver: TypeResolver
  /// The name of the domain, without `Action`.
  private let base: String
  /// Where tables and literals in payloads go.
  private let payloads: TypeScope

  init(_ resolver: TypeResolver, _ base: String) {
    self.resolver = resolver
    self.base = base
    payloads = .beside(base)
  }

  func action(
    _ parts: DomainParts, children: DomainChildren, state: StructDeclaration, at source: SourceLine?
  ) throws(TypesError) -> ActionDeclaration {
    let types = Set(children.all.map(\.action))
    let own = (parts.handlers + parts.listed).filter {
      !types.contains($0.names[0]) && $0.names[0] != "binding"
    }
    var members = MemberNames("action")
    var action = try group(
      own, base + "Action", &members, at: source)
    for child in children.all {
      let place = SourceLine(child.tree.origin)
      let name = try members.name(of: child.action, at: place)
      action.cases.append(
        .init(key: child.action, name: name, content: content(of: child), source: place))
      if let scope = scope(child, name, at: place) { action.scopes.append(scope) }
    }
    if parts.bindsFields {
      action.cases.append(
        .init(
          key: "binding", name: try members.name(of: "binding", at: source),
          content: .binding(state: state.name, fields: state.properties), source: source))
    }
    return action
  }

  /// The actions of a value that no reducer runs on.
  func action(
    handling handlers: [DomainParts.Handler], at source: SourceLine?
  ) throws(TypesError) -> ActionDeclaration {
    var members = MemberNames("action")
    return try group(handlers, base + "Action", &members, at: source)
  }

  // MARK: Own actions

  private func group(
    _ handlers: [DomainParts.Handler], _ name: String,
    _ members: inout MemberNames, at source: SourceLine?
  ) throws(TypesError) -> ActionDeclaration {
    var action = ActionDeclaration(name: name, cases: [], nested: [], scopes: [], source: source)
    let types = TypeScope.inside(name)
    var seen: Set<String> = []
    for handler in handlers where seen.insert(handler.names[0]).inserted {
      let key = handler.names[0]
      let same = handlers.filter { $0.names[0] == key }
      let place = handler.source ?? source
      let caseName = try members.name(of: key, at: place)
      let below = same.below(key)
      let exact = same.filter { $0.names.count == 1 }
      // A type that is only listed stands for the actions below it.
      let isHandled = exact.contains { !$0.isListed }
      if below.isEmpty || isHandled {
        action.cases.append(
          .init(
            key: key, name: caseName, content: try payload(of: exact, key), source: place))
      } else {
        let type = try types.name(for: key, else: "Group", at: place).own
        var inner = MemberNames("action")
        let nested = try group(
          below, type, &inner, at: place)
        action.nested.append(nested)
        action.cases.append(
          .init(key: key, name: caseName, content: .nested(type), source: place))
      }
    }
    return action
  }

  /// The payload by the annotation of the handlers' parameter for the action.
  private func payload(
    of handlers: [DomainParts.Handler], _ key: String
  ) throws(TypesError) -> ActionDeclaration.Content {
    var unknown = handlers.allSatisfy(\.isListed)
    for handler in handlers where !handler.isListed {
      guard let source = handler.source, let script = try resolver.scripts.script(source.script),
        let parameters = script.parameters(at: source.line)
      else {
        unknown = true
        continue
      }
      guard parameters.count > 1 else { continue }
      if let (type, line) = try script.parameter(parameters[1], at: source.line) {
        let place = SourceLine(script: script.script, line: line)
        guard let fields = try fields(of: type, key, at: place) else { return .anyFields }
        return .fields(fields)
      }
      unknown = unknown || !parameters[1].hasPrefix("_")
    }
    return unknown ? .anyFields : .fields([])
  }

  /// Nil if the annotation tells nothing of the fields.
  private func fields(
    of type: LuaType, _ key: String, at source: SourceLine
  ) throws(TypesError) -> [Property]? {
    if [.name("scripted.Action"), .name("table"), .name("any")].contains(type) { return nil }
    guard var fields = try resolver.fields(of: type, at: source) else {
      throw TypesError(
        "the type of an action is a class or { name: type, … }; the fields are those of its payload",
        at: source)
    }
    fields.removeAll { $0.field.name == "type" }
    return try resolver.properties(fields, prefix: key + "_", in: payloads)
  }

  // MARK: Children

  private func content(of child: DomainChildren.Child) -> ActionDeclaration.Content {
    let action = child.domain.action
    switch child.presence {
    case .elements: return .element(id: child.id, action)
    case .stack: return .stack(state: child.domain.state.text, action: action)
    case .optional: return .nested("PresentationAction<\(action)>")
    case .always, .inCase: return .nested(action)
    }
  }

  /// Nil where there is no type for the child's state, or no path to it.
  private func scope(
    _ child: DomainChildren.Child, _ name: String, at source: SourceLine?
  ) -> ActionDeclaration.Scope? {
    guard let key = child.key else { return nil }
    var state = child.domain.state.text
    if child.presence == .stack { state = "StackElement<\(state)>" }
    return .init(
      key: key, action: child.action, name: name,
      kind: child.presence.hasIDs ? .element(id: child.id) : .child, state: state,
      childAction: child.domain.action, source: source)
  }

  /// The types of tables and literals in payloads.
  var payloadTypes: [Declaration] { payloads.declarations }
}
