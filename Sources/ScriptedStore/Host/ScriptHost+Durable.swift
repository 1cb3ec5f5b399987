/// Stores that outlive the process (``HostConfiguration/journal``).
extension ScriptHost {
  /// The durable store with this name. Loads nothing: the store is made active by its first use, which throws for a key
  /// that no store can have, and if the host has no journal.
  ///
  /// - Parameters:
  ///   - feature: a module's name, or that of a reducer in ``HostConfiguration/reducers``.
  ///   - key: 1 to 128 characters of letters, digits, `_`, `-` and `.`.
  public func durable(_ feature: String, key: String) -> DurableStore {
    DurableStore(
      durables, Result { () throws(JournalError) in try StoreName(feature: feature, key: key) })
  }

  /// What the journal has of the durable stores of a feature; of all features for nil.
  public func durableStores(_ feature: String? = nil) async throws(JournalError)
    -> [DurableStoreInfo]
  {
    guard let durables else { return [] }
    return try await durables.reading { (storage) throws(JournalError) in
      try storage.stores(of: feature)
    }
  }

  /// The name of the module that a path leads to, as durable stores are named by it; the path itself if it leads to none.
  package static func module(of feature: String, in root: String) -> String {
    guard feature.hasSuffix(".lua"), let root = try? ScriptRoot(root),
      let script = try? root.file(feature)
    else { return feature }
    return script.name.dropLast(4).split(separator: "/").joined(separator: ".")
  }

  /// Writes all shared values that have changed, makes all durable stores passive, and gives the journal free. The
  /// process can then end: nothing is lost, and nothing has to be recovered.
  public func close() async {
    await durables?.close()
    shared.flush()
    shared.endSaving()
  }
}
