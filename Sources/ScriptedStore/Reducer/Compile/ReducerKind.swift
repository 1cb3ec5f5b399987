// The one list of what scripts can make reducers with. A description has the name in its field `kind`. The compiler
// makes a node of it (`compile`, at the end of this file), and `runner check` asks here what a call in the text of a
// script is.

import LuaBridge

/// What made a reducer of a script: the raw value is the name that scripts call.
package enum ReducerKind: String, Sendable, CaseIterable {
  // Functions of `scripted`.
  case feature, reduce, combine, cases, optional, binding
  // Operators. `scope` is also a function of `scripted`.
  case scope, forEach, ifLet, ifCaseLet, stack, pullback
  case onChange, view, dependency, transformDependency, printChanges, printActions, signpost
  // Values of `scripted`.
  case ignored, ephemeral
  /// What `pullback` puts around its child if it is given `dependencies`.
  case environment
  /// A reducer of the host, which a script has required.
  case host

  /// Whether it is a function of `scripted`.
  package var isFunction: Bool {
    switch self {
    case .feature, .reduce, .combine, .cases, .optional, .binding, .scope: true
    case .forEach, .ifLet, .ifCaseLet, .stack, .pullback, .onChange, .view, .dependency,
      .transformDependency, .printChanges, .printActions, .signpost, .ignored, .ephemeral,
      .environment, .host:
      false
    }
  }

  /// What tools have to know of an argument of an operator.
  package enum Parameter: Hashable {
    /// The path of a part of the state. A function in its place is not followed.
    case key
    /// The reducer of a child.
    case child(ChildPresence)
    /// A table that may name the child's `action`, and the `id` of its elements.
    case options
    /// A function that gets the state first, and `deps` at this position, from 0.
    case handler(deps: Int)
    /// A function that draws the state.
    case view
    /// A table whose field `dependencies` is a function that gets `deps`.
    case definition
    /// Something else.
    case other
  }

  /// What the operator of this name is given, behind its reducer; nil if there is no such operator.
  package var parameters: [Parameter]? {
    switch self {
    case .scope: [.key, .child(.always), .options]
    case .ifLet: [.key, .child(.optional), .options]
    case .forEach: [.key, .child(.elements), .options]
    case .stack: [.key, .child(.stack), .options]
    case .ifCaseLet: [.other, .child(.inCase)]
    case .pullback: [.definition]
    case .onChange: [.key, .handler(deps: 4)]
    case .view: [.view]
    case .dependency, .transformDependency: [.other, .other]
    case .printChanges, .printActions, .signpost: [.other]
    case .feature, .reduce, .combine, .cases, .optional, .binding, .ignored, .ephemeral,
      .environment, .host:
      nil
    }
  }

  /// When the operator's child is there; nil for an operator without one, and for `pullback`, whose child is its reducer.
  package var childPresence: ChildPresence? {
    for case .child(let presence) in parameters ?? [] { return presence }
    return nil
  }
}

extension ReducerCompiler {
  /// Compiles a script's description. Each kind has a function of its own, in the file of its operator.
  func compile(
    _ description: LuaTable, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let origin = try description.string("origin") ?? "?"
    guard let kind = ReducerKind(rawValue: try description.string("kind") ?? "") else {
      throw ScriptError("unknown kind of reducer at \(origin)")
    }
    switch kind {
    case .feature, .reduce: return try feature(description, origin, &builder)
    case .combine:
      return try combine(try description.list("reducers").map { .lua($0) }, origin, &builder)
    case .cases: return try cases(try description.cases(), origin, &builder)
    case .optional: return try optional(try description.base(origin), origin, &builder)
    case .binding: return binding(origin, &builder)
    case .scope, .pullback: return try scope(try ChildOperator(description, origin), &builder)
    case .forEach: return try forEach(try ChildOperator(description, origin), &builder)
    case .ifLet: return try ifLet(try ChildOperator(description, origin), &builder)
    case .ifCaseLet: return try ifCaseLet(try ChildOperator(description, origin), &builder)
    case .stack: return try stack(try ChildOperator(description, origin), &builder)
    case .onChange: return try onChange(description, origin, &builder)
    case .view: return try view(description, origin, &builder)
    case .dependency, .transformDependency:
      return try dependency(description, origin, &builder)
    case .printChanges: return try printing(description, showsChanges: true, origin, &builder)
    case .printActions: return try printing(description, showsChanges: false, origin, &builder)
    case .signpost:
      return try signpost(
        try description.base(origin), try description.string("prefix"), origin, &builder)
    case .ignored: return ignored(origin, &builder)
    case .ephemeral: return ephemeral(origin, &builder)
    case .environment: return try environment(description, origin, &builder)
    case .host: return try host(description, origin, &builder)
    }
  }
}
