import LuaBridge

/// What tests ask of views.
extension ViewTree {
  /// The places whose views have run in the last update, as `todos[3]`; empty for the root.
  package var evaluated: [String] {
    inspect { _, look, _ in look.screen?.run.evaluated ?? [] } ?? []
  }

  /// Calls `body` with those who look at the store, this one among them.
  func inspect<R: Sendable>(
    _ body: @escaping @Sendable (StoreViews, StoreViews.Look, Engine) -> R
  ) -> R? {
    let (id, slot) = (id, handle.slot)
    let result = try? handle.worker.perform { (engine) throws(ScriptError) -> R? in
      guard let views = engine.stores[slot]?.takeUnretainedValue().views,
        let look = views.look(id)
      else { return nil }
      return body(views, look, engine)
    }
    return result ?? nil
  }

  /// Records which views run from now on.
  package func recordEvaluated() {
    _ = inspect { views, _, _ in views.recordsEvaluated = true }
  }

  /// The tree as it is when everything is made anew. It is the same as ``value``, unless the engine is wrong.
  package var madeAnew: Value { comparison.anew }

  /// The tree, and that which is made anew, of one moment: another thread may change the store between two calls.
  package var comparison: (value: Value, anew: Value) {
    let slot = handle.slot
    return inspect { views, look, engine in
      guard let core = engine.stores[slot]?.takeUnretainedValue() else { return (.null, .null) }
      return (look.snapshot.current, views.madeAnew(for: look, core, engine))
    } ?? (.null, .null)
  }
}
