import LuaBridge

/// A dependency that is replaced for a reducer and everything below it, or for a store.
final class DependencyOverride {
  enum Change {
    case host(Dependency)
    /// A function of the host, which gets the current value and returns the new one.
    case hostTransform(@Sendable (Dependency) throws -> Dependency)
    case script(LuaValue)
    /// The same as a function of a script.
    case scriptTransform(LuaFunction)
  }

  /// What is replaced, and by what. Scopes have a copy of it and do not retain the override. So the
  /// override is deallocated with its reducer, and scopes then drop what they made for it.
  struct Replacement {
    let name: String
    let change: Change
    /// The operator and its source line, for messages.
    let origin: String
  }

  let replacement: Replacement
  let number = SerialNumber.next()
  /// The scope that was made last, and the number of the scope outside it, because most nodes run
  /// in one scope.
  // Proof: it is used only if the caller has the outer scope. That scope retains it while this
  // override exists (`DependencyScope`, invariants 2 and 3).
  private var last: (outer: UInt64, scope: Unmanaged<DependencyScope>)?

  init(_ name: String, _ change: Change, origin: String) {
    replacement = Replacement(name: name, change: change, origin: origin)
  }

  var name: String { replacement.name }
  var origin: String { replacement.origin }

  /// The scope with this override inside `outer`; made once. `outer` retains it until some time
  /// after this override is gone.
  func scope(inside outer: DependencyScope) -> DependencyScope {
    scope(inside: .passUnretained(outer)).takeUnretainedValue()
  }

  /// The same without reference counting. Both scopes are borrowed (+0).
  @inline(__always)
  func scope(inside outer: Unmanaged<DependencyScope>) -> Unmanaged<DependencyScope> {
    outer._withUnsafeGuaranteedRef { outer in
      if let last, last.outer == outer.number { return last.scope }
      let scope = Unmanaged.passUnretained(outer.overriding(self))
      last = (outer.number, scope)
      return scope
    }
  }
}

/// The overrides of one name, innermost first. Scopes inside each other share the outer part of the
/// chain and the bindings that it has made. So a transformation runs only once, unless something
/// that it depends on is overridden further in.
final class OverrideChain {
  private let outer: OverrideChain?
  private let override: DependencyOverride.Replacement
  private var made: DependencyBinding?

  init(_ override: DependencyOverride, inside outer: OverrideChain?) {
    self.override = override.replacement
    self.outer = outer
  }

  /// A binding, and whether all scopes with this chain have the same one.
  typealias Resolved = (binding: DependencyBinding, isScopeIndependent: Bool)

  func resolve(in scope: DependencyScope) throws(ScriptError) -> Resolved {
    if let made { return (made, true) }
    let resolved = try resolveAnew(in: scope)
    if resolved.isScopeIndependent { made = resolved.binding }
    return resolved
  }

  private func resolveAnew(in scope: DependencyScope) throws(ScriptError) -> Resolved {
    let new: DependencyBinding
    var isScopeIndependent = true
    switch override.change {
    case .host(let dependency):
      new = try DependencyBinding(dependency, named: override.name, in: scope)
      isScopeIndependent = dependency.files.isEmpty
    case .script(let value):
      new = try DependencyBinding(value, named: override.name, in: scope.registry.vm)
    case .hostTransform(let transform):
      let old = try current(in: scope)
      return (try transformed(old.binding, by: transform, in: scope), old.isScopeIndependent)
    case .scriptTransform(let transform):
      let old = try current(in: scope)
      return (try transformed(old.binding, by: transform, in: scope), old.isScopeIndependent)
    }
    guard new.members != nil else { return (new, isScopeIndependent) }
    let old = try overridden(in: scope)
    try old.binding.checkSpelling(of: new, as: override.name, origin: override.origin)
    return (old.binding.overridden(by: new), isScopeIndependent && old.isScopeIndependent)
  }

  /// The binding that this override replaces or transforms.
  private func current(in scope: DependencyScope) throws(ScriptError) -> Resolved {
    if let outer { return try outer.resolve(in: scope) }
    return try scope.registry.resolve(override.name, in: scope)
  }

  /// The binding that this override replaces, for an override that may leave some of its members as
  /// they are. In a test, a dependency that cannot be made has no members, because the override may
  /// be all that is needed.
  private func overridden(in scope: DependencyScope) throws(ScriptError) -> Resolved {
    do throws(ScriptError) {
      return try current(in: scope)
    } catch {
      guard scope.registry.context == .test else { throw error }
      return (.client([:]), false)
    }
  }

  private func transformed(
    _ old: DependencyBinding, by transform: @Sendable (Dependency) throws -> Dependency,
    in scope: DependencyScope
  ) throws(ScriptError) -> DependencyBinding {
    var opaque: [UInt64: DependencyBinding] = [:]
    let current = old.dependency(opaque: &opaque)
    do {
      return try DependencyBinding(
        try transform(current), named: override.name, opaque: opaque, in: scope)
    } catch {
      throw error as? ScriptError ?? ScriptError("\(override.origin): \(error)", cause: error)
    }
  }

  private func transformed(
    _ old: DependencyBinding, by transform: LuaFunction, in scope: DependencyScope
  ) throws(ScriptError) -> DependencyBinding {
    let place = DependencyTable(scope: scope, feature: override.origin, path: [override.name])
    let new = try transform.call([try place.plain(old)]).first ?? .nil
    guard !new.isNil else {
      throw ScriptError(
        "\(override.origin): the function must return the new value of '\(override.name)', "
          + "it returned nil")
    }
    return try DependencyBinding(new, named: override.name, in: scope.registry.vm)
  }
}
