import Synchronization

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

  /// What the journal has of the durable stores of a feature, or of all features for nil, in the order of their names. Nothing
  /// for a host without a journal.
  ///
  /// ```swift
  /// for try await info in host.durableStores("room") { print(info.name, info.records) }
  /// ```
  ///
  /// Reads 1,000 at a time, so that a journal may have millions. A store that begins meanwhile may be among them or not. Throws
  /// a ``JournalError``.
  public func durableStores(
    _ feature: String? = nil
  ) -> AsyncThrowingStream<DurableStoreInfo, any Error> {
    guard let durables else { return AsyncThrowingStream { $0.finish() } }
    let page = Mutex<(left: ArraySlice<DurableStoreInfo>, last: StoreName?, isLast: Bool)>(
      ([], nil, false))
    return AsyncThrowingStream {
      if let next = page.withLock({ $0.left.popFirst() }) { return next }
      let (last, isLast) = page.withLock { ($0.last, $0.isLast) }
      if isLast { return nil }
      let found = try await durables.reading { (storage) throws(JournalError) in
        try storage.stores(of: feature, after: last, atMost: 1000)
      }
      return page.withLock { page in
        page = (found[...], found.last?.name, found.count < 1000)
        return page.left.popFirst()
      }
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
