import LuaBridge

/// A shared value of a host, as a tool lists it.
package struct SharedValueListing: Sendable {
  /// An error of loading or saving a stored value.
  package struct Failure: Sendable, Equatable {
    /// `loadError` or `saveError`.
    package let field: String
    package let code: String
    package let message: String
    /// The name of the file.
    package let file: String
  }

  /// The key as scripts write it, without `scripted.shared`: `fileStorage "settings.json"`.
  package let key: String
  /// The current value; nil if there is none.
  package let value: Value?
  /// The fields of a store's state that show the value, as `rows[*].theme`. What makes a field's key
  /// another one stands behind it: `size = :at("size")`.
  package let places: [String]
  package let failures: [Failure]
}

extension ScriptHost {
  /// All shared values of the host, sorted by key. Leaves out the places of reducers that are made on
  /// their first use and were not used yet. Empty inside a reducer. O(shared values and fields).
  ///
  /// - Parameter store: the store whose places are listed; of a child store, those of its root.
  package func sharedValues(shownBy store: Store) -> [SharedValueListing] {
    let places = store.handle.inspect { core, _ in core.sharing?.places ?? [:] }
    guard let places else { return [] }
    let values = shared.version.values
    let keys = shared.allKeys.filter { $0.kind != .status }.sorted { $0.text < $1.text }
    return keys.map { key in
      SharedValueListing(
        key: "\(key)", value: values[key],
        places: (places[key] ?? []) + (places[key.status] ?? []).map { "\($0) = :status()" },
        failures: ["loadError", "saveError"].compactMap {
          SharedValueListing.Failure($0, values[key.status]?.object?[$0])
        })
    }
  }
}

extension SharedValueListing.Failure {
  fileprivate init?(_ field: String, _ error: Value?) {
    guard let error = error?.object else { return nil }
    self.field = field
    code = error["code"]?.string ?? ""
    message = error["message"]?.string ?? ""
    file = error["path"]?.string ?? ""
  }
}

extension StoreSharing {
  /// The fields that show each shared value.
  fileprivate var places: [SharedIdentity: [String]] {
    var places: [SharedIdentity: [String]] = [:]
    fields.visitAll { path, target in
      let isStatus = target.identity.kind == .status
      let rest = SharedKey.text(
        part: Array(target.path.dropFirst()), isReadOnly: target.isReadOnly && !isStatus)
      places[target.identity, default: []].append(rest.isEmpty ? path : "\(path) = \(rest)")
    }
    return places
  }
}
