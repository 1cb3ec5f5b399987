import CLua

/// Records that scripts can only read, as `deps`.
extension LuaVM {
  /// A userdata with fields that scripts can read and not change.
  ///
  /// - Parameters:
  ///   - name: the record's name in messages.
  ///   - object: what ``sealedObject(of:)`` returns. Neither it nor `resolve` may retain this VM or
  ///     one of its references.
  ///   - resolve: returns the value of a field that is not in `fields`. It may add the value to
  ///     `fields`, and is then not asked for it again.
  package func makeSealedRecord(
    _ name: String, object: AnyObject,
    resolve: @escaping (_ fields: LuaTable, _ key: LuaValue) throws -> LuaValue
  ) throws(ScriptError) -> LuaReference {
    let resolver = try makeFunction(name) { arguments in
      guard arguments.count == 2, case .table(let fields) = arguments[0] else { return .values([]) }
      return .values([try resolve(fields, arguments[1])])
    }
    let slot = try reference { slot in
      withExtendedLifetime(object) {
        sl_new_sealed(
          core, name, resolver.slot, Unmanaged.passUnretained(object).toOpaque(), &slot)
      }
    }
    return LuaReference(vm: self, slot: slot)
  }

  /// The object that a sealed record was made with; nil for any other value.
  package func sealedObject(of reference: LuaReference) -> AnyObject? {
    sl_sealed_object(core, reference.slot).map {
      Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Whether a table or userdata can be called as a function (has `__call`).
  package func isCallable(_ reference: LuaReference) -> Bool {
    sl_is_callable(core, reference.slot)
  }
}
