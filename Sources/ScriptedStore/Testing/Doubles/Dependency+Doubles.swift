import LuaBridge

/// Dependencies that a test uses instead of live ones. Further ones are
/// ``Dependency/constantDate(_:)``, ``Dependency/incrementingUUID()`` and
/// ``Dependency/random(seed:)``.
extension Dependency {
  /// A `clock` on which time passes only when the test advances `clock`. Sleeps on it wait for that
  /// time, and so do `debounce` and `throttle` of the features that have this dependency.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// let store = try host.store("search", dependencies: ["clock": .clock(clock)])
  /// ```
  public static func clock(_ clock: VirtualClock) -> Dependency {
    Dependency(
      .made { (registry, _) throws(ScriptError) in
        try registry.prelude.clock(on: try registry.scheduler.running().clock(of: clock))
      })
  }

  /// A `clock` on which a sleep ends at once: the time of the clock jumps to the end of the sleep,
  /// and the effect continues after the effects that are ready already. As TCA's `ImmediateClock`.
  /// Each VM has its own, which starts at 0.
  ///
  /// A timer on this clock never ends. After 100,000 sleeps without a pause between them, the next
  /// sleep raises an error.
  public static func immediateClock() -> Dependency {
    Dependency(
      .made { (registry, _) throws(ScriptError) in
        try registry.prelude.clock(on: SchedulerClock(.atOnce))
      })
  }

  /// A function that returns an iterator over `stream`:
  /// `for value in deps.location.updates() do … end`.
  public static func stream(_ stream: TestStream) -> Dependency {
    Dependency(
      .made { (registry, name) throws(ScriptError) in
        let scheduler = registry.scheduler
        stream.attach(try scheduler.running().worker)
        return .function(
          try registry.vm.makeFunction(name) { [unowned vm = registry.vm] _ in
            let next = try vm.makeFunction(name) { _ in
              try scheduler.running().read(stream, in: scheduler.vm)
            }
            return .values([.function(next)])
          })
      })
  }

  /// A function that waits until the effect that called it is cancelled.
  public static var never: Dependency {
    Dependency(
      .made { (registry, name) throws(ScriptError) in
        let scheduler = registry.scheduler
        return .function(
          try registry.vm.makeFunction(name) { _ in
            try scheduler.running().waitForever("test.never", in: scheduler.vm)
          })
      })
  }

  /// A function that must not be called. A call raises an error, and fails the test even if a
  /// script catches the error.
  ///
  /// - Parameter name: The name of the function in messages, as `numberFact.fetch`.
  public static func unimplemented(_ name: String) -> Dependency {
    Dependency(.unimplemented(name))
  }
}
