import LuaBridge

extension TestContext {
  /// Waits inside the worker: runs jobs of other threads, and thus the effects that they resume,
  /// until `isDone` returns true or `seconds` have passed.
  ///
  /// If the time of the test is over, or if the test is interrupted, it stops the scripts: each
  /// further instruction raises the error, even if a script catches it.
  ///
  /// - Parameter what: What the test waits for, in words that follow "it waits for".
  private func wait(
    atMost seconds: Double, for what: () -> String, until isDone: () -> Bool
  ) {
    let (vm, watch) = (vm, watch)
    let left = watch.remaining
    let asked = seconds < 1e9 ? Int64(seconds * 1e9) : nil
    let pumped = engine.pump(
      atMost: [left, asked].compactMap(\.self).min(),
      isStopped: { watch.isInterrupted || vm.isStopping }, until: isDone)
    switch pumped {
    case .isDone: break
    case .timeIsOver where asked ?? .max < left ?? .max: break
    case .isStopped where watch.isInterrupted:
      vm.stop("interrupted; it waited for \(what())", isInterruption: true)
    case .isStopped, .timeIsOver:
      vm.stop("\(watch.overrun); it waits for \(what())", isInterruption: false)
    }
  }

  /// Connects `scripted.test` with the framework: test stores begin and end with each test, and
  /// wait as ``wait(atMost:for:until:)`` does. `hooks` has the functions `begin`, `check` and
  /// `finish` of the module.
  func addStoreHooks(_ hooks: LuaTable) throws(ScriptError) {
    for (hook, point) in [("begin", "atTestStart"), ("check", "atTestEnd"), ("finish", "cleanUp")] {
      _ = try function(point).call([try hooks.get(.string(hook))])
    }
    let session = engine.makeSession()
    session.pump = { [unowned self, unowned session] seconds, isOver in
      wait(
        atMost: seconds,
        for: {
          session.stores.flatMap(\.inFlight).map(\.wait).first ?? "what the host has to do"
        }, until: isOver)
    }
  }
}

extension EffectDescription {
  /// The effect and what it waits for, as `numberFact.fetch in Counter (counter.lua:12)`.
  fileprivate var wait: String { "\(waitingOn)\(feature.map { " in \($0)" } ?? "") (\(origin))" }
}
