import LuaBridge

/// The names that a feature may read from `deps`.
final class DeclaredDependencies {
  let names: [String]
  /// The name of the feature, for messages.
  let feature: String
  let number = SerialNumber.next()
  /// The feature's record in the scope where it ran last, because most features run in one scope.
  /// The scope with this number retains the record (`DependencyScope`, invariant 3).
  var last: (scope: UInt64, record: Unmanaged<LuaReference>)?

  init(_ names: [String], feature: String) {
    self.names = names
    self.feature = feature
  }
}
