import LuaBridge

/// What tests give in the stead of live dependencies; the others are ``Dependency/constantDate(_:)``,
/// ``Dependency/incrementingUUID()`` and ``Dependency/random(seed:)``.
extension Dependency {
  /// A `clock` on which time passes only when `clock` is told to: what sleeps on it, and debounces and throttles of
  /// the features that have it.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// let store = try host.store("search", dependencies: ["clock": .clock(clock)])
  /// ```
  public static func clock(_ clock: VirtualClock) -> Dependency {
    Dependency(
      .made(
        Maker { (registry, _) throws(ScriptError) in
          try registry.makeClock(try registry.scheduler.running().clock(of: clock))
        }))
  }

  /// A `clock` on which nobody waits: its time jumps to when a sleep ends, and the effect goes on in its next turn. As
  /// TCA's `ImmediateClock`. Each VM has one of its own, which starts at 0.
  ///
  /// A timer on it has no end: the 100,000th sleep in a row raises.
  public static func immediateClock() -> Dependency {
    Dependency(
      .made(
        Maker { (registry, _) throws(ScriptError) in
          try registry.makeClock(SchedulerClock(.atOnce))
        }))
  }

  /// A function that returns an iterator over `stream`: `for value in deps.location.updates() do … end`.
  public static func stream(_ stream: TestStream) -> Dependency {
    Dependency(
      .made(
        Maker { (registry, name) throws(ScriptError) in
          let scheduler = registry.scheduler
          stream.attach(try scheduler.running().worker)
          return .function(
            try registry.vm.makeFunction(name) { [unowned vm = registry.vm] _ in
              let next = try vm.makeFunction(name) { _ in
                try scheduler.running().read(stream, in: scheduler.vm)
              }
              return .values([.function(next)])
            })
        }))
  }

  /// A function that waits until the effect which called it is cancelled.
  public static var never: Dependency {
    Dependency(
      .made(
        Maker { (registry, name) throws(ScriptError) in
          let scheduler = registry.scheduler
          return .function(
            try registry.vm.makeFunction(name) { _ in
              try scheduler.running().waitForever(in: scheduler.vm)
            })
        }))
  }

  /// A function that must not be called: doing so raises, and fails a test even if the error is caught.
  ///
  /// - Parameter name: what it is called in messages, as `numberFact.fetch`.
  public static func unimplemented(_ name: String) -> Dependency {
    Dependency(.unimplemented(name))
  }
}
