// Compiles reducers into the tree of nodes that a store runs.
//
// Scripts describe a reducer as a Lua table with a `kind` (`ReducerKind`), Swift as a `Reducer`. Each
// operator has one function here, in an extension beside its node, which gets the operator's parts as
// `ReducerSource`s.

import LuaBridge

/// Compiles reducers that scripts or Swift describe into the tree of nodes that a store runs.
struct ReducerCompiler {
  let modules: ScriptModules
  /// The names that features may declare as dependencies.
  let dependencies: DependencyRegistry
  /// Swift reducers that scripts can `require`, in the order of ``ScriptModules/hostReducers``.
  let hostReducers: [Reducer]
  let depth = ReducerDepth()

  // MARK: Domains

  /// The domain of a script's reducer, or of the reducer that a script's function returns.
  func domain(of reducer: LuaValue) throws(ScriptError) -> Domain {
    try domain(of: ReducerSource.lua(reducer))
  }

  func domain(of reducer: Reducer) throws(ScriptError) -> Domain {
    try domain(of: ReducerSource.swift(reducer))
  }

  /// - Parameter idKey: The key of an element's id, if the domain is that of elements; else nil.
  private func domain(
    of source: ReducerSource, idKey: String? = nil
  ) throws(ScriptError) -> Domain {
    var builder = DomainBuilder()
    builder.idBytes = idKey.map { Array($0.utf8) }
    let root = try compile(source, &builder)
    let patterns = builder.patterns
    let domain = Domain(builder, root: root)
    for pattern in patterns { try domain.vocabulary.require(pattern, in: domain.name) }
    if domain.vocabulary.takesAll { try domain.vocabulary.requireEverything() }
    return domain
  }

  /// The domain of a child. It is compiled now, or on first use if a function stands for the child,
  /// so that a reducer may contain itself.
  ///
  /// - Parameters:
  ///   - idKey: The key of an element's id, if the child is that of elements; else nil.
  ///   - origin: The operator's origin, for errors.
  func reference(
    to child: ReducerSource, idKey: String? = nil, origin: String
  ) throws(ScriptError) -> DomainReference {
    if let idKey { modules.vm.arena.pointee.addIdentityKey(idKey) }
    switch child {
    case .lua(.function(let make)):
      return reference(toResultOf: make, idKey: idKey, origin: origin)
    case .swift(let reducer):
      guard case .lazy(let make) = reducer.kind else { break }
      return DomainReference { () throws(ScriptError) in
        try domain(of: .swift(make()), idKey: idKey)
      }
    default: break
    }
    return DomainReference(try domain(of: child, idKey: idKey))
  }

  private func reference(
    toResultOf make: LuaFunction, idKey: String?, origin: String
  ) -> DomainReference {
    DomainReference { () throws(ScriptError) in
      let made = try make.call().at(0)
      guard try modules.prelude.describe(made) != nil else {
        throw ScriptError(
          "\(origin): the function that stands for a reducer must return one, not "
            + made.typeNameWithArticle)
      }
      return try domain(of: .lua(made), idKey: idKey)
    }
  }

  // MARK: Nodes

  // There is one function for each kind of reducer: a single large function would take more stack
  // in each level of nested reducers.

  func compile(
    _ source: ReducerSource, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    switch source {
    case .lua(let reducer): return try compile(reducer, &builder)
    case .swift(let reducer): return try compile(reducer, &builder)
    case .empty(let origin): return CombineNode([], origin: origin)
    }
  }

  private func compile(
    _ reducer: Reducer, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    try depth.enter()
    defer { depth.leave() }
    switch reducer.kind {
    case .script(let module): return try compile(try self.reducer(ofModule: module), &builder)
    case .lazy(let make): return try compile(make(), &builder)
    case .compiled(let compile): return try compile(self, &builder)
    }
  }

  private func compile(
    _ reducer: LuaValue, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    try depth.enter()
    defer { depth.leave() }
    if case .function(let make) = reducer { return try compile(try result(of: make), &builder) }
    guard let description = try modules.prelude.describe(reducer) else {
      throw ScriptError("a reducer is needed, this is a \(reducer.typeName)")
    }
    return try compile(description, &builder)
  }

  /// The reducer that a module returns, or that the function that it returns stands for.
  private func reducer(ofModule module: String) throws(ScriptError) -> LuaValue {
    var reducer = try modules.require(module)
    var isOfFunction = false
    if case .function(let make) = reducer {
      reducer = try make.call().at(0)
      isOfFunction = true
    }
    guard try modules.prelude.describe(reducer) != nil else {
      throw modules.notAReducer(module, reducer, isOfFunction: isOfFunction)
    }
    return reducer
  }

  /// Calls a function that stands for a reducer.
  private func result(of make: LuaFunction) throws(ScriptError) -> LuaValue {
    let reducer = try make.call().at(0)
    if case .function = reducer {
      throw ScriptError("a function that stands for a reducer must return one, not a function")
    }
    return reducer
  }

  /// Compiles the host's reducer that a script has required.
  func host(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    guard case .integer(let number) = try description.get("number") else {
      throw ScriptError("a reducer of the host has no number at \(origin)")
    }
    return try compile(.swift(hostReducers[Int(number)]), &builder)
  }

  /// Adds the child of an operator to the domain.
  func parts(
    _ parts: ChildOperator, _ child: DomainReference, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ChildParts {
    let type = try builder.vocabulary.add(
      child: child, named: parts.action, origin: parts.origin)
    return ChildParts(
      child: child, state: StateAccess(path: parts.path), type: type, action: parts.action,
      vocabulary: builder.vocabulary, origin: parts.origin)
  }
}

// The fields of the tables in which scripts describe reducers.
extension LuaTable {
  /// The reducer around which a script's operator stands.
  func base(_ origin: String) throws(ScriptError) -> ReducerSource {
    let base = try get("base")
    return base.isNil ? .empty(origin: origin) : .lua(base)
  }

  /// The function in a field; nil if there is none.
  func handler(_ key: LuaValue) throws(ScriptError) -> Handler? {
    guard case .function(let function) = try get(key) else { return nil }
    return Handler(function)
  }
}

/// The number of reducers that are being compiled in one VM, each inside the previous one. Without
/// a limit, a reducer that contains itself would be compiled forever.
final class ReducerDepth {
  /// The limit protects the stack: a level takes 20 KB of it in a build with AddressSanitizer. 200
  /// is as deep as Lua lets C functions nest, and deeper than state nests.
  private static let maximum = 200
  private var depth = 0

  /// Counts one more level.
  ///
  /// - Throws: An error if the limit is reached. Else the caller must call ``leave()``.
  func enter() throws(ScriptError) {
    guard depth < Self.maximum else {
      throw ScriptError(
        "reducers are nested more than \(Self.maximum) deep; one that contains itself must do "
          + "so as a child, given as a function")
    }
    depth += 1
  }

  func leave() { depth -= 1 }
}

/// A reducer that is to be compiled. Operators of scripts and of Swift compile the same way, because
/// both pass their parts in this form.
enum ReducerSource {
  /// A reducer of a script, or a function that returns one.
  case lua(LuaValue)
  case swift(Reducer)
  /// The base of a script's operator that stands alone, with that operator's origin.
  case empty(origin: String)
}

extension Reducer {
  /// Compiles a reducer into a node. This is how an operator in Swift describes itself.
  typealias Compile =
    @Sendable (ReducerCompiler, inout DomainBuilder) throws(ScriptError) -> ReducerNode

  init(origin: String, _ compile: @escaping Compile) {
    self.init(.compiled(by: compile), origin: origin)
  }
}
