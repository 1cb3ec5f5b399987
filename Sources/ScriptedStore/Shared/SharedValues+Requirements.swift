import LuaBridge

// Which values a host, a tool, a test or the first state of a store may give to a stored or custom key: those that the next
// start uses. `StoreSharing.checkWritten(from:)` is the same for actions.
extension SharedValues {
  /// Throws if a key cannot have a value. No value is allowed, and the next start begins with the default.
  ///
  /// - Parameters:
  ///   - key: its identity.
  ///   - check: calls the key's `check`.
  func requireUsable(
    _ value: Value?, of key: String, check: (Value) throws(ScriptError) -> Void
  ) throws(ScriptError) {
    guard let value, SharedKey.isChecked(key), let declaration = declaration(of: key) else {
      return
    }
    do throws(ScriptError) {
      try SharedKey.requireType(of: value, like: declaration.value, as: "the new value")
      try check(value)
    } catch {
      var refusal = error
      refusal.message =
        "the shared value \(SharedKey.text(ofIdentity: key)) cannot be set: \(error.message)"
      throw refusal
    }
  }
}

extension Engine {
  /// Throws if the `check` of a key that a store of this worker shares refuses a value.
  func check(_ value: Value, of identity: String) throws(ScriptError) {
    guard shared.declaration(of: identity)?.hasCheck == true,
      let key = cores.lazy.compactMap({ $0.sharing?.checkedKeys[identity] }).first(
        where: \.hasCheck)
    else { return }
    try key.table.vm.turn { () throws(ScriptError) in try key.check(value) }
  }
}
