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

  /// What is replaced, and by what. Scopes retain this object and not the override. So the override
  /// is deallocated with its reducer, and scopes then drop what they made for it.
  final class Replacement {
    let name: String
    let change: Change
    /// The operator and its source line, for messages.
    let origin: String

    init(_ name: String, _ change: Change, origin: String) {
      self.name = name
      self.change = change
      self.origin = origin
    }
  }

  let replacement: Replacement
  let number = SerialNumber.next()
  /// The scope that was made last, and the number of the scope outside it, because most nodes run
  /// in one scope. The outer scope retains it, and no other scope has its number.
  private var last: (outer: UInt64, scope: Unmanaged<DependencyScope>)?

  init(_ name: String, _ change: Change, origin: String) {
    replacement = Replacement(name, change, origin: origin)
  }

  var name: String { replacement.name }
  var origin: String { replacement.origin }

  /// The scope with this override inside `outer`; made once. `outer` retains it until some time
  /// after this override is gone.
  func scope(inside outer: DependencyScope) -> DependencyScope {
    if let last, last.outer == outer.number { return last.scope.takeUnretainedValue() }
    let scope = outer.overriding(self)
    last = (outer.number, .passUnretained(scope))
    return scope
  }

  /// Like ``scope(inside:)-(DependencyScope)``, without reference counting. Both scopes are
  /// borrowed (+0).
  @inline(__always)
  func scope(inside outer: Unmanaged<DependencyScope>) -> Unmanaged<DependencyScope> {
    if let last, outer._withUnsafeGuaranteedRef({ $0.number }) == last.outer { return last.scope }
    return .passUnretained(scope(inside: outer.takeUnretainedValue()))
  }
}
