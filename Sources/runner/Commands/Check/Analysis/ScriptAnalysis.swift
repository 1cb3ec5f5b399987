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
//    handlers. It then propagates owners and roles through calls to functions of the script, until
//    a pass changes nothing.
// 4. Owners and roles only grow, and the sets are finite, so the propagation ends.
// 5. Sends and reads are collected after the propagation, when all roles are final.

/// The features of a script, with the dependencies that they read and the actions that they send.
struct ScriptAnalysis {
  /// A call of `scripted.feature { … }` or `scripted.reduce(…)`.
  struct Feature {
    /// The source lines that Lua may report as the origin of the call: the line where the call
    /// begins and the line where its arguments begin.
    let lines: Set<Int>
    let name: String?
    /// The names of the declared dependencies; nil if the table of dependencies is not written out
    /// as string literals.
    let dependencies: Set<String>?
    /// The string literals that declare dependencies.
    var declarations: [LuaExpression] = []
    /// The keys of `on`: the patterns of the handled actions.
    var patterns: [LuaExpression] = []
  }

  /// The features, as indices into `features`, that a function, a `send` or a `deps` belongs to.
  /// Empty if no feature is known.
  typealias Owners = Set<Int>

  struct DependencyRead {
    /// The dependency's name: `clock` in `deps.clock` and in `deps.clock.sleep`.
    let name: String
    /// The member's name, such as `sleep` in `deps.clock.sleep`; nil if the dependency itself is
    /// read.
    let member: String?
    let position: SourcePosition
    let owners: Owners
    /// True where a dependency may be read without a declaration: in a dependency's own factory, in
    /// the function of `pullback` and in a stub. Also true for a read of a member, as only the read
    /// of the dependency itself is checked for a declaration.
    let isOpen: Bool
  }

  struct Sent {
    let path: String
    let position: SourcePosition
    let owners: Owners
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

  private enum Role {
    case send(Owners)
    case deps(Owners, isOpen: Bool)
  }

  private var featureOfCall: [ObjectIdentifier: Int] = [:]
  private var owners: [ObjectIdentifier: Owners] = [:]
  private var roles: [ObjectIdentifier: Role] = [:]
  /// Functions and calls that build an effect which `:map` is applied to. The actions that they
  /// send are replaced by other actions.
  private var mapped: Set<ObjectIdentifier> = []
  private var hasChanged = false

  init(_ chunk: LuaChunk) {
    self.chunk = chunk
    for call in chunk.calls { note(call) }
    repeat {
      hasChanged = false
      for call in chunk.calls { follow(call) }
    } while hasChanged
    for call in chunk.calls { noteSent(by: call) }
    for index in chunk.indexes { noteRead(index) }
    for text in chunk.strings { addWords(of: text) }
  }

  // MARK: Names

  /// What an expression refers to: a module or a global, and the path of fields that is read from
  /// it.
  struct Reference: Hashable {
    enum Root: Hashable {
      case module(String)
      case global(String)
    }

    let root: Root
    var fields: [String] = []

    static func scripted(_ fields: String...) -> Reference {
      Reference(root: .module("scripted"), fields: fields)
    }
  }

  /// The most fields that a reference may have, and the most operators on a feature that are
  /// followed. Each query walks the whole chain, so an unbounded chain would make the analysis
  /// quadratic.
  private static let mostSteps = 100

  static func reference(_ expression: LuaExpression) -> Reference? {
    var current = expression.resolved
    var fields: [String] = []
    while case .index(let base, let key) = current.kind {
      guard let name = key.string, fields.count < mostSteps else { return nil }
      fields.append(name)
      current = base.resolved
    }
    fields.reverse()
    switch current.kind {
    case .global(let name): return Reference(root: .global(name), fields: fields)
    case .call(let callee, let arguments):
      guard case .global("require") = callee.kind, let name = arguments.first?.string else {
        return nil
      }
      return Reference(root: .module(name), fields: fields)
    default: return nil
    }
  }

  /// The function literal that an expression refers to.
  private func function(_ expression: LuaExpression?) -> LuaFunctionBody? {
    if case .function(let body)? = expression?.resolved.kind { body } else { nil }
  }

  /// The table literal that an expression refers to.
  private func table(_ expression: LuaExpression?) -> LuaExpression? {
    guard let table = expression?.resolved, case .table = table.kind else { return nil }
    return table
  }

  /// The feature that an expression refers to. Operators such as `:forEach(…)` may be applied to
  /// it.
  private func feature(_ expression: LuaExpression?) -> Int? {
    guard var current = expression?.resolved else { return nil }
    for _ in 0..<Self.mostSteps {
      guard case .method(let receiver, _, _) = current.kind else { break }
      current = receiver.resolved
    }
    if case .call = current.kind { return featureOfCall[ObjectIdentifier(current)] }
    return nil
  }

  // MARK: Features

  private mutating func note(_ call: LuaExpression) {
    switch call.kind {
    case .call(let callee, let arguments):
      guard let reference = Self.reference(callee) else { return }
      switch reference {
      case Reference(root: .global("require")):
        if let name = arguments.first?.string {
          required.append((name, arguments.first?.position ?? call.position))
        }
      case .scripted("feature"):
        if let definition = table(arguments.first) { addFeature(definition, call) }
      case .scripted("reduce"):
        let feature = add(
          Feature(lines: lines(of: call), name: nil, dependencies: []), call)
        handle(arguments.first, by: feature, deps: 2)
      case .scripted("dependency"):
        if let definition = table(arguments.first) { noteDeclaration(definition) }
      case .scripted("cases"):
        if case .table(let fields)? = table(arguments.first)?.kind {
          words.formUnion(fields.compactMap(\.key?.string))
        }
      default: break
      }
    case .method(let receiver, "onChange", let arguments):
      guard let feature = feature(receiver), arguments.count > 1 else { return }
      handle(arguments[1], by: feature, deps: 4)
    case .method(_, "pullback", let arguments):
      let make = function(table(arguments.first)?.field("dependencies"))
      give(.deps([], isOpen: true), to: make, at: 0)
    case .method(let receiver, "map", _): noteMapping(of: receiver)
    default: break
    }
  }

  private func lines(of call: LuaExpression) -> Set<Int> {
    [call.position.line, call.detail.line]
  }

  private mutating func add(_ feature: Feature, _ call: LuaExpression) -> Int {
    features.append(feature)
    featureOfCall[ObjectIdentifier(call)] = features.count - 1
    return features.count - 1
  }

  private mutating func addFeature(_ definition: LuaExpression, _ call: LuaExpression) {
    var feature = Feature(
      lines: lines(of: call), name: definition.field("name")?.string,
      dependencies: dependencies(in: definition))
    if case .table(let fields)? = table(definition.field("dependencies"))?.kind {
      feature.declarations = fields.map(\.value).filter { $0.string != nil }
    }
    let on = table(definition.field("on"))
    var handlers: [LuaExpression] = []
    if case .table(let fields)? = on?.kind {
      feature.patterns = fields.compactMap { $0.key?.string == nil ? nil : $0.key }
      handlers = fields.map(\.value)
    }
    let number = add(feature, call)
    for handler in handlers { handle(handler, by: number, deps: 2) }
    handle(definition.field("reduce"), by: number, deps: 2)
  }

  private func dependencies(in definition: LuaExpression) -> Set<String>? {
    guard let field = definition.field("dependencies") else { return [] }
    guard case .table(let fields)? = table(field)?.kind else { return nil }
    let names = fields.compactMap(\.value.string)
    return names.count == fields.count ? Set(names) : nil
  }

  private mutating func noteDeclaration(_ definition: LuaExpression) {
    if let name = definition.field("name")?.string { declared.append(name) }
    for context in ["live", "preview", "test"] {
      give(.deps([], isOpen: true), to: function(definition.field(context)), at: 0)
    }
  }

  // MARK: Who has what

  private mutating func handle(_ handler: LuaExpression?, by feature: Int, deps: Int) {
    guard let body = function(handler) else { return }
    give([feature], to: body)
    give(.deps([feature], isOpen: false), to: body, at: deps)
  }

  private mutating func give(_ new: Owners, to body: LuaFunctionBody) {
    let known = owners[ObjectIdentifier(body), default: []]
    guard !new.isSubset(of: known) else { return }
    owners[ObjectIdentifier(body)] = known.union(new)
    hasChanged = true
  }

  private mutating func give(_ role: Role, to body: LuaFunctionBody?, at index: Int) {
    guard let body, index < body.parameters.count, !body.parameters[index].isAssigned else {
      return
    }
    let key = ObjectIdentifier(body.parameters[index])
    switch (roles[key], role) {
    case (nil, _): roles[key] = role
    case (.send(let known)?, .send(let new)):
      if new.isSubset(of: known) { return }
      roles[key] = .send(known.union(new))
    case (.deps(let known, let wasOpen)?, .deps(let new, let isOpen)):
      if new.isSubset(of: known) && (wasOpen || !isOpen) { return }
      roles[key] = .deps(known.union(new), isOpen: wasOpen || isOpen)
    default: return
    }
    hasChanged = true
  }

  /// The features whose handlers call or contain a function: the owners of the function, or of the
  /// closest enclosing function that has any.
  private func owners(of body: LuaFunctionBody) -> Owners {
    for body in body.enclosing {
      if let owners = owners[ObjectIdentifier(body)] { return owners }
    }
    return []
  }

  /// The role of the variable that an expression refers to.
  private func role(_ expression: LuaExpression) -> Role? {
    let expression = expression.resolved
    return switch expression.kind {
    // A parameter has no initial value, so `resolved` stops at it.
    case .local(let variable): roles[ObjectIdentifier(variable)]
    // A stub gets `deps` as `...`.
    case .varargs where expression.function === chunk.body: .deps([], isOpen: true)
    default: nil
    }
  }

  /// Propagates owners and roles through one call: from `effect.run` to the function of the effect,
  /// and from arguments to the parameters of a function of this script.
  private mutating func follow(_ call: LuaExpression) {
    guard case .call(let callee, let arguments) = call.kind else { return }
    let owners = owners(of: call.function)
    if Self.reference(callee) == .scripted("effect", "run") {
      if let body = function(arguments.first) {
        give(owners, to: body)
        give(.send(owners), to: body, at: 0)
        give(.deps(owners, isOpen: false), to: body, at: 1)
      }
      if arguments.count > 1, let body = function(table(arguments[1])?.field("catch")) {
        give(owners, to: body)
        give(.send(owners), to: body, at: 1)
        give(.deps(owners, isOpen: false), to: body, at: 2)
      }
    }
    guard let body = function(callee) else { return }
    give(owners, to: body)
    for (index, argument) in arguments.enumerated() {
      if let role = role(argument) { give(role, to: body, at: index) }
    }
  }

  // MARK: Actions

  /// Records the functions and calls that build a mapped effect. The feature never gets the actions
  /// that such an effect sends itself.
  private mutating func noteMapping(of receiver: LuaExpression) {
    var receiver = receiver.resolved
    for _ in 0..<Self.mostSteps {
      guard case .method(let inner, _, _) = receiver.kind else { break }
      receiver = inner.resolved
    }
    switch receiver.kind {
    case .call(let callee, _):
      if let body = function(callee) { mapped.insert(ObjectIdentifier(body)) }
      receiver.visit { expression in
        mapped.insert(ObjectIdentifier(expression))
        if let body = function(expression) { mapped.insert(ObjectIdentifier(body)) }
      }
    default: mapped.insert(ObjectIdentifier(receiver.function))
    }
  }

  private mutating func noteSent(by call: LuaExpression) {
    guard case .call(let callee, let arguments) = call.kind, let what = arguments.first,
      let path = path(of: what),
      !mapped.contains(ObjectIdentifier(call)),
      !call.function.enclosing.contains(where: { mapped.contains(ObjectIdentifier($0)) })
    else { return }
    let owners: Owners
    if Self.reference(callee) == .scripted("effect", "send") {
      owners = self.owners(of: call.function)
    } else if case .send(let senders)? = role(callee) {
      owners = senders
    } else {
      return
    }
    sent.append(Sent(path: path, position: what.position, owners: owners))
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

  private mutating func noteRead(_ index: LuaExpression) {
    guard case .index(let base, let key) = index.kind, let name = key.string else { return }
    if case .index(let reducer, let field) = base.kind, field.string == "actions" {
      words.insert(name)
      if let feature = feature(reducer) {
        sent.append(Sent(path: name, position: key.position, owners: [feature]))
      } else if case .module(let module)? = Self.reference(reducer)?.root,
        Self.reference(reducer)?.fields == []
      {
        namedActions.append(NamedAction(module: module, name: name, position: key.position))
      }
    }
    if case .deps(let owners, let isOpen)? = role(base) {
      reads.append(
        DependencyRead(
          name: name, member: nil, position: key.position, owners: owners, isOpen: isOpen))
    } else if let (dependency, owners) = client(base) {
      reads.append(
        DependencyRead(
          name: dependency, member: name, position: key.position, owners: owners, isOpen: true))
    }
  }

  /// The dependency that an expression reads, as in `deps.clock`, and the owners of its `deps`.
  private func client(_ expression: LuaExpression) -> (name: String, Owners)? {
    guard case .index(let base, let key) = expression.resolved.kind, let name = key.string,
      case .deps(let owners, _)? = role(base)
    else { return nil }
    return (name, owners)
  }

  private mutating func addWords(of text: String) {
    words.formUnion(Self.words(of: text))
  }

  /// Splits a text into words of letters, digits and `_`.
  static func words(of text: String) -> [String] {
    text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
  }
}
