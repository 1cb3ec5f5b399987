import LuaBridge

/// The Swift functions behind the test doubles of `scripted.test`.
enum DoubleNatives {
  /// Adds the functions to the table that the prelude gets. The functions do not retain the VM.
  static func add(to table: LuaTable, _ scheduler: SchedulerLink) throws(ScriptError) {
    try addClocks(to: table, scheduler)
    try addStreams(to: table, scheduler)
    try table.define("uuid", as: "test.uuid") { arguments in
      guard case .integer(let number) = arguments.at(0), number >= 0 else {
        throw ScriptError("a UUID has a number of zero or more")
      }
      return .values([.string(Dependency.uuidText(UInt64(number)))])
    }
    // seededRandom(seed): returns the functions `integer` and `number`.
    try table.define("seededRandom", as: "test.seededRandom") { [unowned vm = table.vm] arguments in
      guard case .integer(let seed) = arguments.at(0) else {
        throw ScriptError("a seed is an integer")
      }
      let random = Dependency.random(seed: UInt64(bitPattern: seed))
      return .values(
        try ["integer", "number"].map { name in
          guard case .function(let signature, let body)? = random[name]?.kind else { return .nil }
          return .function(try vm.makeFunction("random.\(name)", signature, body))
        })
    }
    // unimplemented(name): raises the error that a call of the unimplemented function `name`
    // raises.
    try table.define("unimplemented", as: "test.unimplemented") { arguments in
      let runner = try scheduler.running()
      let name = arguments.at(0).string ?? "?"
      throw runner.report(
        UnimplementedCall(
          use: "\(runner.currentFeature ?? "the test") called \(name)()",
          path: name.splitAtDots(), origin: scheduler.vm.scriptLocation))
    }
  }

  // MARK: Clocks

  private static func addClocks(
    to table: LuaTable, _ scheduler: SchedulerLink
  ) throws(ScriptError) {
    try table.define("newClock", as: "test.clock") { _ in
      .values([.object(SchedulerClock(.byHand))])
    }
    try table.define("newImmediateClock", as: "test.immediateClock") { _ in
      .values([.object(SchedulerClock(.atOnce))])
    }
    // advance(clock, seconds), runClock(clock), checkSuspension(clock)
    try table.define("advance", as: "advance") { arguments in
      let runner = try scheduler.running()
      try runner.checkCalledByTest("advance")
      let clock = try clock(arguments.at(0))
      let seconds = arguments.at(1).double ?? 0
      runner.pass(clock, to: clock.instant.after(seconds))
      return .values([])
    }
    try table.define("runClock", as: "run") { arguments in
      let runner = try scheduler.running()
      try runner.checkCalledByTest("run")
      try runner.passAll(try clock(arguments.at(0)))
      return .values([])
    }
    try table.define("checkSuspension", as: "checkSuspension") { arguments in
      try scheduler.running().checkSuspension(on: try clock(arguments.at(0)))
      return .values([])
    }
  }

  static func clock(_ lua: LuaValue) throws(ScriptError) -> SchedulerClock {
    guard case .object(let clock as SchedulerClock) = lua else {
      throw ScriptError("a clock is expected, got \(lua.typeName)")
    }
    return clock
  }

  // MARK: Streams

  private static func addStreams(
    to table: LuaTable, _ scheduler: SchedulerLink
  ) throws(ScriptError) {
    try table.define("newStream", as: "test.stream") { _ in .values([.object(TestStream())]) }
    // streamSend(stream, value), streamFinish(stream), streamFail(stream, error)
    func define(
      _ native: String, as name: String,
      _ change: @escaping (TestStream, _ argument: LuaValue) throws -> Void
    ) throws(ScriptError) {
      try table.define(native, as: name) { arguments in
        let stream = try stream(arguments.at(0))
        try change(stream, arguments.at(1))
        try scheduler.running().wakeAndRun(readersOf: stream)
        return .values([])
      }
    }
    try define("streamSend", as: "send") { try $0.append(try value($1)) }
    try define("streamFinish", as: "finish") { stream, _ in try stream.end(nil) }
    try define("streamFail", as: "fail") { stream, argument in
      let error = try value(argument)
      // A string is a message: the reader raises it with its own source line in front. Any other
      // value is raised unchanged.
      try stream.end(
        error.string.map { ScriptError($0) } ?? ScriptError("\(error)", value: error))
    }
    try table.define("streamNext", as: "test.stream") { arguments in
      try scheduler.running().read(try stream(arguments.at(0)), in: scheduler.vm)
    }
    try table.define("never", as: "test.never") { _ in
      try scheduler.running().waitForever("test.never", in: scheduler.vm)
    }
  }

  private static func stream(_ lua: LuaValue) throws(ScriptError) -> TestStream {
    guard case .object(let stream as TestStream) = lua else {
      throw ScriptError("a stream is expected, got \(lua.typeName)")
    }
    return stream
  }

  private static func value(_ lua: LuaValue) throws(ScriptError) -> Value {
    guard let value = try lua.stateValue(named: "value") else {
      throw ScriptError("a stream takes values of state, not \(lua.typeNameWithArticle)")
    }
    return value
  }
}

extension EffectRunner {
  /// Wakes the bodies that wait for the stream. If the test itself calls, also runs effects until
  /// none is ready. Else they run later, in their turn.
  func wakeAndRun(readersOf stream: TestStream) {
    wakeReaders(of: stream)
    if isOutside { runUntilIdle() }
  }

  /// Throws an error unless the test itself calls. A function that runs effects cannot be called by
  /// a handler or an effect.
  func checkCalledByTest(_ name: String) throws(ScriptError) {
    guard !isOutside else { return }
    throw ScriptError(
      "\(name)() lets effects go on, so only a test may call it, not a handler, an effect or what they call"
    )
  }
}
