import LuaBridge

// Keys that nobody uses any more (``SharedUses``) are forgotten if nothing is lost by it: if their value is stored,
// or is still the first one. An own value in memory stays, because it exists nowhere else.
//
// Locks are taken in this order: `newest`, that of the uses, all others. So no other thread declares a key while it
// is being forgotten.
extension SharedValues {
  /// Forgets keys that nobody uses. Not while an action runs alone.
  func forgetUnused() {
    var custom: [SharedIdentity] = []
    alone { current in
      var new = current.values
      uses.visitUnused { key in
        if keepers.has(key) {
          custom.append(key)
          return true
        }
        return !forget(key, &new)
      }
      if new.count != current.values.count { current.values = new }
    }
    for key in custom { keepers.endUnused(key) }
  }

  /// Forgets a custom key that nobody uses, if its value is the one that the storage has. Called inside the worker
  /// of its keeper.
  func forgetCustom(_ key: SharedIdentity, saved: Value?) -> Bool {
    alone { current in
      var new = current.values
      let isForgotten = uses.whileUnused(key) {
        guard new[key] == saved else { return false }
        keepers.end(key)
        drop(key, &new)
        return true
      }
      if new.count != current.values.count { current.values = new }
      return isForgotten == true
    }
  }

  /// Forgets a key, if nothing is lost by it. Returns false if that may be possible later, because its value is
  /// being written or has to be.
  private func forget(_ key: SharedIdentity, _ values: inout Value.Object) -> Bool {
    if let storage = storage(of: key.kind) {
      guard storage.letGo(of: key, in: values) else { return false }
    } else if values[key] != declaration(of: key)?.first {
      return true
    }
    drop(key, &values)
    return true
  }

  private func drop(_ key: SharedIdentity, _ values: inout Value.Object) {
    forgetDeclaration(of: key)
    names.release(key)
    failures.forget(key)
    values[key] = nil
    values[key.status] = nil
  }
}
