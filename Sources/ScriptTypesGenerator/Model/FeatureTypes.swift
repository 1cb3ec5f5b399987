import LuaBridge
import ScriptValue
import ScriptedStore

/// Makes the types of features: for each feature of a tree a state and its actions.
final class FeatureTypes {
  /// The types of one domain.
  struct Domain {
    let state: SwiftType
    /// The name of the type of its actions.
    let action: String
    /// The type of the state's field `id`.
    var id: SwiftType?
  }

  /// A domain around the one that is visited.
  private struct Enclosing {
    /// The name that a recursion says; nil for cases.
    let name: String?
    let domain: Domain
    /// Whether the domain contains itself.
    var recurs = false
  }

  let resolver: TypeResolver
  private(set) var declarations: [Declaration] = []
  private var known: [String: (source: SourceLine?, operators: [String], domain: Domain)] = [:]
  private var enclosing: [Enclosing] = []

  init(_ scripts: AnnotatedScripts) { resolver = TypeResolver(scripts) }

  // MARK: Domains

  /// - Parameters:
  ///   - handlers: those of the features around for actions of this domain.
  ///   - name: the name of a domain without a feature.
  @discardableResult
  func domain(
    _ tree: ReducerTree, named given: String?, else name: String,
    handledAround handlers: [DomainParts.Handler] = []
  ) throws(TypesError) -> Domain {
    switch tree.kind {
    case "recursion": return recursion(tree.name)
    case "cases": return try cases(tree, named: given ?? name, handledAround: handlers)
    case "ephemeral", "ignored": return try anyState(named: given ?? name, handlers)
    default: break
    }
    let parts = DomainParts(of: tree)
    let first = parts.features.first
    let source = SourceLine(first?.origin ?? tree.origin)
    let base = given ?? first.flatMap { SwiftName.type($0.name ?? "") } ?? self.name(source) ?? name
    let operators = parts.operators.map { "\($0.kind) \($0.key ?? "") \($0.action ?? "")" }
    if let known = known[base], known.source == source, known.operators == operators {
      return known.domain
    }
    let title = first?.name.map { "the feature '\($0)'" } ?? "the feature"
    for suffix in ["State", "Action", "Store"] {
      try resolver.declare(base + suffix, for: title, at: source)
    }
    var domain = Domain(state: .named(base + "State"), action: base + "Action")
    enclosing.append(Enclosing(name: first?.name ?? base, domain: domain))
    let fields = try parts.features.map { (feature) throws(TypesError) in
      try StateFields(of: feature, resolver)
    }
    for className in fields.compactMap(\.className) {
      resolver.setState(ofClass: className, to: domain.state)
    }
    let children = try self.children(of: parts, fields, base)
    let state = try state(of: fields, base, children, at: source)
    domain.id = state.properties.first { $0.key == "id" }?.type
    let builder = ActionBuilder(resolver, base)
    var action = try builder.action(parts, children: children, state: state, at: source)
    action.isIndirect = enclosing.removeLast().recurs
    action.store = (base + "Store", state.name)
    known[base] = (source, operators, domain)
    // Children are declared behind their parents.
    let payloads = try declared(builder.payloadTypes, at: source)
    declarations.insert(
      contentsOf: [.structure(state), .action(action)] + payloads, at: children.start)
    return domain
  }

  private func declared(
    _ types: [Declaration], at source: SourceLine?
  ) throws(TypesError) -> [Declaration] {
    for type in types { try resolver.declare(type.name, for: "a payload", at: source) }
    return types
  }

  private func recursion(_ name: String?) -> Domain {
    guard let name, let index = enclosing.lastIndex(where: { $0.name == name }) else {
      return Domain(state: .value, action: "Action")
    }
    for around in enclosing.indices[index...] { enclosing[around].recurs = true }
    return enclosing[index].domain
  }

  /// A value of any kind. The features around say which actions it sends.
  private func anyState(
    named base: String, _ handlers: [DomainParts.Handler]
  ) throws(TypesError) -> Domain {
    guard !handlers.isEmpty else { return Domain(state: .value, action: "Action") }
    let source = handlers[0].source
    try resolver.declare(base + "Action", for: "the actions of \(base)", at: source)
    let builder = ActionBuilder(resolver, base)
    let action = try builder.action(handling: handlers, at: source)
    declarations += [.action(action)] + (try declared(builder.payloadTypes, at: source))
    return Domain(state: .value, action: base + "Action")
  }

  private func cases(
    _ tree: ReducerTree, named base: String, handledAround handlers: [DomainParts.Handler]
  ) throws(TypesError) -> Domain {
    let source = SourceLine(tree.origin)
    try resolver.declare(base + "State", for: "the cases", at: source)
    try resolver.declare(base + "Action", for: "the cases", at: source)
    let start = declarations.count
    let domain = Domain(state: .named(base + "State"), action: base + "Action")
    enclosing.append(Enclosing(name: nil, domain: domain))
    var (members, states, cases) = (
      MemberNames("case"), [Property](), [ActionDeclaration.Case]()
    )
    let values = tree.actions.map { ($0, nil as ReducerTree?) }
    let children = tree.children.map { ($0.name ?? "", $0.children.first) }
    for (key, child) in (values + children).sorted(by: { $0.0 < $1.0 }) {
      let below = handlers.below(key)
      let inner = base + (SwiftName.type(key) ?? "Case")
      let domain =
        if let child {
          try self.domain(child, named: nil, else: inner, handledAround: below)
        } else {
          try anyState(named: inner, below)
        }
      let name = try members.name(of: key, at: source)
      states.append(Property(key: key, name: name, type: domain.state, source: source))
      cases.append(.init(key: key, name: name, content: .nested(domain.action), source: source))
    }
    let recurs = enclosing.removeLast().recurs
    declarations.insert(
      contentsOf: [
        .cases(
          CasesDeclaration(
            name: base + "State", cases: states, isIndirect: recurs, source: source)),
        .action(
          ActionDeclaration(
            name: base + "Action", cases: cases, nested: [], scopes: [], isIndirect: recurs,
            source: source)),
      ], at: start)
    return domain
  }

  /// `SyncUpForm` for a feature without a name in `sync_ups/sync_up_form.lua`.
  private func name(_ source: SourceLine?) -> String? {
    guard let source, source.script.hasSuffix(".lua") else { return nil }
    let parts = source.script.dropLast(4).split(separator: "/")
    let last = parts.last == "init" ? parts.dropLast().last : parts.last
    return last.flatMap { SwiftName.type(String($0)) }
  }

  // MARK: Children

  private func children(
    of parts: DomainParts, _ fields: [StateFields], _ base: String
  ) throws(TypesError) -> DomainChildren {
    var children = DomainChildren(start: declarations.count)
    for tree in parts.operators {
      guard let child = tree.children.first, let presence = tree.presence,
        let action = tree.childAction
      else { continue }
      let recurring = child.kind == "recursion"
      let handled = parts.handlers.below(action).filter { !tree.ownActions.contains($0.names[0]) }
      let domain = try domain(
        child, named: nil, else: base + (SwiftName.type(action) ?? "Child"), handledAround: handled)
      children.all.append(
        .init(
          tree: tree, presence: presence, action: action, domain: domain, isRecursive: recurring,
          isKeyed: isKeyed(tree.key, of: parts.features, fields)))
    }
    return children
  }

  /// Whether a default or an annotation says that elements are the values of an object.
  private func isKeyed(
    _ key: String?, of features: [ReducerTree], _ fields: [StateFields]
  ) -> Bool {
    guard let key else { return false }
    for (feature, fields) in zip(features, fields) {
      if let field = fields.annotated.first(where: { $0.name == key }) {
        if case .dictionary = field.type { return true }
        return false
      }
      guard let value = feature.defaults?.object?[key] else { continue }
      // Only `scripted.object {}` is written as an object.
      if value.isEmptyTable { return value.json() == "{}" }
      if case .object = value { return true }
    }
    return false
  }

  // MARK: State

  private func state(
    of fields: [StateFields], _ base: String, _ children: DomainChildren, at source: SourceLine?
  ) throws(TypesError) -> StructDeclaration {
    let scope = TypeScope.inside(base + "State")
    var (members, properties) = (MemberNames("field"), [Property]())
    var seen: Set<String> = []
    func add(
      _ key: String, at source: SourceLine?, _ type: () throws(TypesError) -> SwiftType
    ) throws(TypesError) {
      guard seen.insert(key).inserted else { return }
      let name = try members.name(of: key, at: source)
      // The operator `??` does not pass the type of errors on.
      let type = if let known = children.stateType(of: key) { known } else { try type() }
      properties.append(Property(key: key, name: name, type: type, source: source))
    }
    let (state, classes) = (SwiftType.named(base + "State"), fields.compactMap(\.className))
    try resolver.resolvingState(state, ofClasses: classes) { () throws(TypesError) in
      for fields in fields {
        for field in fields.annotated {
          try add(field.name, at: field.source) { () throws(TypesError) in
            try resolver.type(field.type, of: field.name, in: scope, at: field.source)
          }
        }
        for (key, value, source) in fields.inferred {
          try add(key, at: source) { () throws(TypesError) in
            guard let value else { return .optional(.value) }
            return try resolver.inferredType(of: [value], field: key, in: scope, at: source)
          }
        }
      }
    }
    for child in children.all {
      guard let key = child.key, !key.contains(".") else { continue }
      try add(key, at: SourceLine(child.tree.origin)) { .value }
    }
    return StructDeclaration(
      name: base + "State", properties: properties, nested: scope.declarations, source: source)
  }
}

/// The children of one domain.
struct DomainChildren {
  struct Child {
    let tree: ReducerTree
    let presence: ChildPresence
    let action: String
    let domain: FeatureTypes.Domain
    let isRecursive: Bool
    /// Whether elements are the values of an object.
    let isKeyed: Bool

    /// The path of the child's state; nil if functions compute it, or it is a case of the whole state.
    var key: String? { presence == .inCase ? nil : tree.key }

    /// The type of an element's id.
    var id: SwiftType {
      if presence == .stack { return .int }
      if isKeyed { return .string }
      switch domain.id {
      case .int?, .string?: return domain.id ?? .value
      default: return .value
      }
    }
  }

  /// Where the declarations of the children begin.
  let start: Int
  var all: [Child] = []

  /// The type of the field that has a child's state; nil if it has none.
  func stateType(of key: String) -> SwiftType? {
    guard let child = all.first(where: { $0.key == key }) else { return nil }
    let state = child.domain.state
    switch child.presence {
    case .elements: return child.isKeyed ? .dictionary(state) : .array(state)
    case .stack: return .array(.named("StackElement<\(state.text)>"))
    // A struct of Swift cannot contain itself.
    case .optional: return child.isRecursive ? .optional(.value) : state.asOptional
    case .always, .inCase: return child.isRecursive ? .value : state
    }
  }
}

extension [DomainParts.Handler] {
  /// The handlers for actions below a type, without that type.
  func below(_ type: String) -> [DomainParts.Handler] {
    filter { $0.names.count > 1 && $0.names[0] == type }
      .map {
        .init(names: [String]($0.names.dropFirst()), source: $0.source, isListed: $0.isListed)
      }
  }
}
