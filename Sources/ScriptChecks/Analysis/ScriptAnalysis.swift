import LuaSyntax
import ScriptedStore

// ScriptAnalysis finds the features of a script by reading its text: the dependencies that they
// declare and read, and the actions that they send. It does not run the script.
//
// It is a data-flow analysis over the resolved expressions of a `LuaChunk`:
//
// 1. A name is followed only if its local is declared once and never assigned later, as in `local
//    effect = scripted.effect`.
// 2. Nothing is reported about a value that the script computes. An unknown value leads to no
//    finding.
// 3. `init` first collects the features and gives roles (`send`, `deps`) to the parameters of their
//    handlers. `FeatureRoles` then propagates features and roles through calls to functions of the
//    script.
// 4. Sends and reads are collected after the propagation, when all roles are final.

/// The features of a script, with the dependencies that they read and the actions that they send.
struct ScriptAnalysis {
  /// A call of `scripted.feature { … }` or `scripted.reduce(…)`.
  struct Feature {
    /// The call that makes the feature.
    let call: LuaExpression
    /// The table that defines the feature; nil for `scripted.reduce`.
    var definition: LuaExpression?
    let name: String?
    /// The names of the declared dependencies; nil if the table of dependencies is not written out
    /// as string literals.
    let dependencies: Set<String>?
    /// The string literals that declare dependencies.
    var declarations: [LuaExpression] = []
    /// The keys of `on`: the patterns of the handled actions.
    var patterns: [LuaExpression] = []

    /// The source lines that Lua may report as the origin of the call: the line where the call
    /// begins and the line where its arguments begin.
    var lines: Set<Int> { [call.position.line, call.detail.line] }

    /// The name for messages.
    var title: String { name ?? "the feature" }

    /// The elements of `actions`: what the feature sends and its parent handles.
    var listedActions: [LuaExpression] {
      definition?.field("actions")?.tableFields?.map(\.value) ?? []
    }
  }

  struct DependencyRead {
    /// The dependency's name: `clock` in `deps.clock` and in `deps.clock.sleep`.
    let name: String
    /// The member's name, such as `sleep` in `deps.clock.sleep`; nil if the dependency itself is
    /// read.
    let member: String?
    let position: SourcePosition
    let features: FeatureSet
    /// True where a dependency may be read without a declaration: in a dependency's own factory, in
    /// the function of `pullback` and in a stub. Also true for a read of a member, as only the read
    /// of the dependency itself is checked for a declaration.
    let isOpen: Bool
  }

  struct Sent {
    let path: String
    let position: SourcePosition
    let features: FeatureSet
    var origin = Origin.script
    /// The fields of the action that hold what `effect.result` returns.
    var results: [String] = []
  }

  /// What sends an action.
  enum Origin {
    /// An effect.
    case script
    /// `Feature.actions`, whose unknown names raise.
    case actions
    /// A node of a view.
    case node
    /// The binding of a node to this key of the state.
    case binding(String)
  }

  /// `Feature.actions.name`, where `Feature` is the result of `require`.
  struct NamedAction {
    let module: String
    let name: String
    let position: SourcePosition
  }

  let chunk: LuaChunk
  private(set) var features: [Feature] = []
  private(set) var reads: [DependencyRead] = []
  private(set) var sent: [Sent] = []
  private(set) var namedActions: [NamedAction] = []
  /// The arguments of all `require` calls, with their positions.
  private(set) var required: [(name: String, position: SourcePosition)] = []
  /// The names that `scripted.dependency` declares.
  private(set) var declared: [String] = []
  /// All words that could name an action: the words in string literals, the fields read from
  /// `Feature.actions`, and the keys of `scripted.cases`.
  private(set) var words: Set<String> = []

  private(set) var roles = FeatureRoles()
  /// The nodes that the script makes, in views and anywhere else.
  private(set) var viewNodes: [ViewNodeUse] = []
  /// The fields of states that the script reads and writes.
  private(set) var stateUses: [StateUse] = []
  /// The calls of operators that take a key of the state.
  private(set) var attachments: [ChildAttachment] = []
  /// The words in the comments of the script. Scripts name optional fields of their state there.
  private(set) var commentWords: Set<String> = []
  /// The fields in annotations for the Lua language server: `name` of `---@field name string`.
  private(set) var annotatedFields: [String] = []
  private var featureOfCall: [ObjectIdentifier: Int] = [:]
  /// Functions and calls that build an effect which `:map` is applied to. The actions that they
  /// send are replaced by other actions.
  private var mapped: Set<ObjectIdentifier> = []

  init(_ chunk: LuaChunk) {
    self.chunk = chunk
    for call in chunk.calls { collectDeclarations(in: call) }
    roles.propagate(through: chunk.calls)
    for call in chunk.calls { collectSent(by: call) }
    viewNodes = chunk.calls.compactMap { ViewNodeUse($0, roles) }
    for node in viewNodes { collectSent(by: node) }
    stateUses = chunk.indexes.compactMap(stateUse)
    attachments = chunk.calls.compactMap(attachment)
    for index in chunk.indexes { collectRead(index) }
    for text in chunk.strings { words.formUnion(Self.words(of: text)) }
    for comment in chunk.comments {
      let words = Self.words(of: comment)
      commentWords.formUnion(words)
      if comment.hasPrefix("-@field"), words.count > 1 { annotatedFields.append(words[1]) }
    }
  }

  // MARK: Features

  /// The feature that an expression refers to. Operators such as `:forEach(…)` may be applied to
  /// it.
  func feature(_ expression: LuaExpression) -> Int? {
    let call = expression.methodRoot
    if case .call = call.kind { return featureOfCall[ObjectIdentifier(call)] }
    return nil
  }

  private mutating func collectDeclarations(in call: LuaExpression) {
    switch call.kind {
    case .call(let callee, let arguments):
      guard let reference = LuaReference(callee) else { return }
      switch reference {
      case .global("require"):
        if let name = arguments.first?.string {
          required.append((name, arguments.first?.position ?? call.position))
        }
      case .scripted("feature"):
        if let definition = arguments.first?.tableLiteral { addFeature(definition, call) }
      case .scripted("reduce"):
        let feature = add(Feature(call: call, name: nil, dependencies: []))
        roles.addHandler(arguments.first, of: feature, deps: 2)
      case .scripted("dependency"):
        if let definition = arguments.first?.tableLiteral { addDependency(definition) }
      case .scripted("cases"):
        words.formUnion(arguments.first?.tableFields?.compactMap(\.key?.string) ?? [])
      default: break
      }
    case .method(let receiver, "map", _): markMapped(receiver)
    case .method(let receiver, let name, let arguments):
      for (parameter, argument) in zip(ReducerKind(rawValue: name)?.parameters ?? [], arguments) {
        addRoles(to: argument, as: parameter, of: receiver)
      }
    default: break
    }
  }

  /// Gives roles to the parameters of a function that an operator on `receiver` is given.
  private mutating func addRoles(
    to argument: LuaExpression, as parameter: ReducerKind.Parameter, of receiver: LuaExpression
  ) {
    switch parameter {
    case .handler(let deps):
      guard let feature = feature(receiver) else { return }
      roles.addHandler(argument, of: feature, deps: deps)
    case .view:
      guard receiver.mayBeReducer else { return }
      roles.addView(argument, of: Set([feature(receiver)].compactMap(\.self)))
    case .definition:
      let make = argument.tableLiteral?.field("dependencies")?.functionLiteral
      roles.addRole(.deps([], isOpen: true), to: make, at: 0)
    case .key, .child, .options, .other: break
    }
  }

  private mutating func add(_ feature: Feature) -> Int {
    features.append(feature)
    featureOfCall[ObjectIdentifier(feature.call)] = features.count - 1
    return features.count - 1
  }

  private mutating func addFeature(_ definition: LuaExpression, _ call: LuaExpression) {
    var feature = Feature(
      call: call, definition: definition, name: definition.field("name")?.string,
      dependencies: dependencies(in: definition))
    let declared = definition.field("dependencies")?.tableFields ?? []
    feature.declarations = declared.map(\.value).filter { $0.string != nil }
    let handlers = definition.field("on")?.tableFields ?? []
    feature.patterns = handlers.compactMap(\.key).filter { $0.string != nil }
    let number = add(feature)
    for handler in handlers { roles.addHandler(handler.value, of: number, deps: 2) }
    roles.addHandler(definition.field("reduce"), of: number, deps: 2)
    roles.addView(definition.field("view"), of: [number])
  }

  private func dependencies(in definition: LuaExpression) -> Set<String>? {
    guard let field = definition.field("dependencies") else { return [] }
    guard let fields = field.tableFields else { return nil }
    let names = fields.compactMap(\.value.string)
    return names.count == fields.count ? Set(names) : nil
  }

  private mutating func addDependency(_ definition: LuaExpression) {
    if let name = definition.field("name")?.string { declared.append(name) }
    for context in ["live", "preview", "test"] {
      let factory = definition.field(context)?.functionLiteral
      roles.addRole(.deps([], isOpen: true), to: factory, at: 0)
    }
  }

  // MARK: Actions

  /// Records the functions and calls that build a mapped effect. The feature never gets the actions
  /// that such an effect sends itself.
  private mutating func markMapped(_ receiver: LuaExpression) {
    let effect = receiver.methodRoot
    guard case .call(let callee, _) = effect.kind else {
      mapped.insert(ObjectIdentifier(effect.function))
      return
    }
    if let body = callee.functionLiteral { mapped.insert(ObjectIdentifier(body)) }
    effect.visit { expression in
      mapped.insert(ObjectIdentifier(expression))
      if let body = expression.functionLiteral { mapped.insert(ObjectIdentifier(body)) }
    }
  }

  private mutating func collectSent(by call: LuaExpression) {
    guard case .call(let callee, let all) = call.kind else { return }
    let isAlarm = LuaReference(callee) == .scripted("effect", "alarm")
    // The id and the time come before the action.
    let arguments = isAlarm ? all.dropFirst(2) : all[...]
    guard let what = arguments.first, let path = path(of: what),
      !mapped.contains(ObjectIdentifier(call)),
      !call.function.enclosing.contains(where: { mapped.contains(ObjectIdentifier($0)) })
    else { return }
    let senders: FeatureSet
    if isAlarm || LuaReference(callee) == .scripted("effect", "send") {
      senders = roles.features(of: call.function)
    } else if case .send(let features)? = roles.role(callee) {
      senders = features
    } else {
      return
    }
    let fields = [what, arguments.dropFirst().first].flatMap { $0?.tableFields ?? [] }
    let results = fields.compactMap { key, value -> String? in
      value.arguments(of: .scripted("effect", "result")).flatMap { _ in key?.string }
    }
    sent.append(
      Sent(path: path, position: what.position, features: senders, results: results))
  }

  /// Records the actions that a node sends, and that of its bindings. Where the features are unknown, so
  /// are their actions.
  private mutating func collectSent(by node: ViewNodeUse) {
    guard !node.features.isEmpty else { return }
    for (_, action) in node.values(of: { $0 == .action }) {
      // In a view `{ "rename", { title = "Milk" } }` is an action, too.
      guard let path = path(of: action.resolved) ?? action.firstElement?.string else { continue }
      sent.append(
        Sent(path: path, position: action.position, features: node.features, origin: .node))
    }
    for (_, key, field) in node.boundFields {
      sent.append(
        Sent(
          path: "binding.key", position: field.position, features: node.features,
          origin: .binding(key)))
    }
  }

  /// The path of an action that is written as a string or as nested tables; nil if any part of it
  /// is computed.
  private func path(of action: LuaExpression) -> String? {
    var types: [String] = []
    var current = action
    while true {
      if let path = current.string { return (types + [path]).joined(separator: ".") }
      guard case .table = current.kind, let type = current.field("type")?.string else {
        return nil
      }
      types.append(type)
      guard let nested = current.field("action") else { return types.joined(separator: ".") }
      current = nested
    }
  }

  private mutating func collectRead(_ index: LuaExpression) {
    guard case .index(let base, let key) = index.kind, let name = key.string else { return }
    if case .index(let reducer, let field) = base.kind, field.string == "actions" {
      words.insert(name)
      if let feature = feature(reducer) {
        sent.append(
          Sent(path: name, position: key.position, features: [feature], origin: .actions))
      } else if let reference = LuaReference(reducer), reference.fields.isEmpty,
        case .module(let module) = reference.root
      {
        namedActions.append(NamedAction(module: module, name: name, position: key.position))
      }
    }
    if case .deps(let features, let isOpen)? = roles.role(base) {
      reads.append(
        DependencyRead(
          name: name, member: nil, position: key.position, features: features, isOpen: isOpen))
    } else if let (dependency, features) = client(base) {
      reads.append(
        DependencyRead(
          name: dependency, member: name, position: key.position, features: features,
          isOpen: true))
    }
  }

  /// The dependency that an expression reads, as in `deps.clock`, and the features of its `deps`.
  private func client(_ expression: LuaExpression) -> (name: String, FeatureSet)? {
    guard case .index(let base, let key) = expression.resolved.kind, let name = key.string,
      case .deps(let features, _)? = roles.role(base)
    else { return nil }
    return (name, features)
  }

  /// Splits a text into words of letters, digits and `_`.
  static func words(of text: String) -> [String] {
    text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
  }
}

extension ScriptFile {
  /// The fields that the handlers of features read of their action, by the line at which the handler
  /// begins: `["user", "name"]` for `action.user.name`. A function that is given the action is not
  /// followed.
  package var actionReads: [Int: [[String]]] {
    guard let analysis else { return [:] }
    var lines: [ObjectIdentifier: Int] = [:]
    for handler in analysis.features.flatMap({ $0.definition?.field("on")?.tableFields ?? [] }) {
      guard let body = handler.value.functionLiteral, body.parameters.count > 1 else { continue }
      lines[ObjectIdentifier(body.parameters[1])] = handler.value.resolved.position.line
    }
    var reads: [Int: [[String]]] = [:]
    for index in analysis.chunk.indexes where !index.isAssigned {
      guard let (base, names) = index.fieldPath, case .local(let variable) = base.kind,
        let line = lines[ObjectIdentifier(variable)]
      else { continue }
      reads[line, default: []].append(names)
    }
    return reads
  }
}
