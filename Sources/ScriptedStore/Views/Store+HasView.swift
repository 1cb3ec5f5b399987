import LuaBridge

extension Store {
  /// Whether the store's feature says how it looks: whether it has a view, or is one of several cases
  /// whose views are shown.
  package var hasView: Bool {
    let slot = handle.slot
    let hasView = try? handle.worker.perform { (engine) throws(ScriptError) -> Bool in
      guard let root = engine.stores[slot]?.takeUnretainedValue().domain.root else { return false }
      return root.hasView
    }
    return hasView ?? false
  }
}
