import LuaBridge

/// The Swift functions behind the test stores of `scripted.test`.
///
/// A statement such as `store:send` returns up to three values: its failure as text or nil, the
/// changes that were skipped as text or nil, and the task that it started. The prelude raises the
/// failure and prints the skipped changes at the test's line.
final class TestStoreNatives {
  // Proof: the engine owns this object and the VM, so all three are alive when one of the functions
  // runs. The VM retains the functions, so they must not retain any of the three: that would be a
  // cycle.
  unowned(unsafe) let engine: Engine
  private unowned(unsafe) let vm: LuaVM
  private let session: TestSession
  /// The owner number of the drafts that a test's functions get, for messages.
  private let owner: UInt16
  /// A cache of actions by path, for actions that are sent without payload.
  private var actions = [TextKey: Action]()

  init(_ engine: Engine, _ session: TestSession) {
    self.engine = engine
    self.session = session
    vm = engine.context.vm
    owner = vm.arena.pointee.owner(named: "the test's")
  }

  /// Adds a function to the table that the prelude gets.
  func define(
    in table: LuaTable, _ name: String, asValues: Bool = false,
    _ body: @escaping (TestStoreNatives, [LuaValue]) throws -> HostResult
  ) throws(ScriptError) {
    try table.define(name, as: name, tablesAsValues: asValues) { [unowned(unsafe) self] in
      try body(self, $0)
    }
  }

  /// Adds the functions to the table that the prelude gets. They must not be called after this
  /// object is gone.
  func add(to table: LuaTable) throws(ScriptError) {
    // testStore(reducer, state?, dependencies?, origin, line, durable): `state` is a table or a function, `line` the script
    // line of the call.
    try define(in: table, "testStore") { .values([.object(try $0.store(for: $1))]) }
    // Statements: testSend(store, what, payload?, expect?), testReceive(store, what, payload?,
    // expect?, timeout), testAssert(store, expect), testFinish(store, task?, timeout),
    // testCancel(store, task), testCrash(store, expect?), testSkipReceived(store, strict?),
    // testSkipInFlight(store, strict?), testSkipAlarms(store, strict?)
    try define(in: table, "testSend", asValues: true) { try $0.send($1) }
    try define(in: table, "testReceive", asValues: true) { try $0.receive($1) }
    try define(in: table, "testAssert", asValues: true) { try $0.assert($1) }
    try define(in: table, "testFinish") { try $0.finish($1) }
    try define(in: table, "testCancel") { try $0.cancel($1) }
    try define(in: table, "testCrash", asValues: true) { try $0.crash($1) }
    try define(in: table, "testSkipReceived") { try $0.skip($1) { $0.skipReceivedActions } }
    try define(in: table, "testSkipInFlight") { try $0.skip($1) { $0.skipInFlightEffects } }
    try define(in: table, "testSkipAlarms") { try $0.skip($1) { $0.skipAlarms } }
    // Properties: testState(store), testIsDismissed(store), testDependencies(store)
    try define(in: table, "testState") { .values([try $0.anyStore($1).stateView()]) }
    try define(in: table, "testIsDismissed") {
      .values([.boolean(try $0.anyStore($1).isDismissed)])
    }
    try define(in: table, "testDependencies") { .values([try $0.anyStore($1).dependencies()]) }
    // testOverride(store, name, value, origin)
    try define(in: table, "testOverride") { natives, arguments in
      try natives.store(arguments).override(
        arguments.at(1).string ?? "", by: .script(arguments.at(2)),
        origin: arguments.at(3).string ?? "?")
      return .values([])
    }
    // testAlarms(store)
    try define(in: table, "testAlarms") { natives, arguments in
      let alarms = try natives.anyStore(arguments).readAlarms().map(\.forTests)
      return .values([.value(.array(Value.List(alarms)))])
    }
    try addStorage(to: table)
    try addViews(to: table)
    // testSetShared(key, value?): `key` is the description of a shared key.
    try define(in: table, "testSetShared") { natives, arguments in
      guard case .table(let description) = arguments.at(0) else { return .values([]) }
      try natives.requireTest(
        ScriptError("test.shared changes values for the test, not for reducers or effects"))
      let given = arguments.at(1)
      let value = try given.stateValue(named: "a shared value")
      guard value != nil || given.isNil else {
        throw ScriptError("a shared value is a value of state, not \(given.typeNameWithArticle)")
      }
      try natives.engine.sharing.set(try SharedKey(description), to: value)
      // Now it is in the file.
      natives.engine.runUntilIdle()
      return .values([])
    }
    // testSharedField(store, path): returns the kind and the name of the key behind a field, and the steps to its part.
    try define(in: table, "testSharedField") { natives, arguments in
      let path = arguments.at(1).string ?? ""
      guard let target = try natives.store(arguments).sharedField(at: path),
        let kind = target.identity.kind
      else { throw ScriptError("the state has no shared field at \"\(path)\"") }
      let part = target.path.dropFirst().map { LuaValue($0) }
      return .values([.string(kind.rawValue), .string(target.identity.name)] + part)
    }
    // testSetExhaustivity(store, isOn, showsSkipped)
    try define(in: table, "testSetExhaustivity") { natives, arguments in
      try natives.store(arguments).exhaustivity =
        arguments.at(1).bool == true ? .on : .off(showSkipped: arguments.at(2).bool == true)
      return .values([])
    }
    // The test as a whole
    try define(in: table, "testBegin") { natives, _ in
      natives.session.end()
      natives.engine.beginTestStorage()
      return .values([])
    }
    try define(in: table, "testCheck") { natives, _ in
      natives.failures(natives.session.failuresAtEnd())
    }
    try define(in: table, "testEnd") { natives, _ in
      natives.session.end()
      return .values([])
    }
    // testProblems(): ends a statement; the problems that came up since the last call, as text or nil.
    try define(in: table, "testProblems") { natives, _ in
      natives.failures(natives.session.endStatement())
    }
    try define(in: table, "testBeginWarnings") { natives, _ in
      natives.session.beginExpectingWarnings()
      return .values([])
    }
    try define(in: table, "testEndWarnings") { natives, _ in
      Self.list(natives.session.endExpectingWarnings())
    }
  }

  // MARK: Stores

  /// Makes a store of the arguments of `test.store` and `test.view`.
  func store(for arguments: [LuaValue]) throws -> TestStoreCore {
    try requireTest()
    var dependencies: [String: DependencyOverride.Change] = [:]
    if case .table(let table) = arguments.at(2) {
      for (name, value) in try table.entries() {
        guard let name = name.string else {
          throw ScriptError("`dependencies` has the values of dependencies under their names")
        }
        dependencies[name] = .script(value)
      }
    }
    let isDurable = if case .boolean(true) = arguments.at(5) { true } else { false }
    let store = try engine.makeTestStore(
      of: arguments.at(0), state: try given(arguments.at(1)), dependencies: dependencies,
      isDurable: isDurable, origin: arguments.at(3).string ?? "?")
    store.madeAt = arguments.at(4).string
    // A stored value that was migrated is written at once.
    engine.runUntilIdle()
    return store
  }

  /// The option `state`.
  private func given(_ lua: LuaValue) throws -> TestState {
    switch lua {
    case .nil: return .keys(nil)
    case .function(let change):
      return .change { [self] (defaults) throws(ScriptError) in
        let (state, returned) = try session.expecting { () throws(ScriptError) in
          try vm.edit(defaults, with: change, owner: owner)
        }
        guard returned == nil || state != defaults else {
          throw ScriptError(
            "the function `state` \(StateAssertion.unchanged(returned)); "
              + "it has to change its argument into the state that the store begins with")
        }
        return state
      }
    default:
      guard let keys = try lua.stateValue(named: "state") else {
        throw ScriptError(
          "`state` is a table, or a function that changes the initial state, not \(lua.typeNameWithArticle)"
        )
      }
      return .keys(keys)
    }
  }

  /// The store in the first argument, for reading.
  func anyStore(_ arguments: [LuaValue]) throws -> TestStoreCore {
    guard case .object(let store as TestStoreCore) = arguments.at(0) else {
      throw ScriptError("call this with a colon on a store from test.store(…)")
    }
    guard !store.isClosed else { throw ScriptError("the test of this store is over") }
    return store
  }

  /// The store in the first argument, for a statement. Throws if the caller is not the test itself.
  func store(_ arguments: [LuaValue]) throws -> TestStoreCore {
    let store = try anyStore(arguments)
    try requireTest()
    return store
  }

  /// Throws if the caller is not the test itself. What it does would come in between what runs.
  ///
  /// - Parameter refusal: the error for a reducer or an effect.
  func requireTest(
    _ refusal: @autoclosure () -> ScriptError = TestStoreCore.notTheTest
  ) throws(ScriptError) {
    guard !session.isExpecting else {
      throw ScriptError(
        "a function that says what is expected, or what a store begins with, can only change the state that it gets"
      )
    }
    guard engine.effects.isOutside else { throw refusal() }
  }

  // MARK: Statements

  private func send(_ arguments: [LuaValue]) throws -> HostResult {
    let store = try store(arguments)
    let expect = try expectation(arguments.at(3))
    return try end(store, store.send(try action(arguments)), expect)
  }

  private func crash(_ arguments: [LuaValue]) throws -> HostResult {
    let store = try store(arguments)
    let expect = try expectation(arguments.at(1))
    return try end(store, try store.crash(), expect)
  }

  private func skip(
    _ arguments: [LuaValue],
    _ skip: (TestStoreCore) -> (_ strict: Bool) -> TestStoreCore.Outcome?
  ) throws -> HostResult {
    let store = try store(arguments)
    return try end(store, skip(store)(arguments.at(1).bool ?? true))
  }

  /// The action in the second argument and, if it has a payload, the third.
  private func action(_ arguments: [LuaValue]) throws -> Action {
    guard case .string(let path) = arguments.at(1), arguments.at(2).isNil else {
      return try Action(fromScript: Value(arguments.at(1)), payload: try arguments.at(2).payload())
    }
    if let known = actions[TextKey(path)] { return known }
    let action = try Action(path: path)
    if actions.count < TestStoreNatives.mostActions { actions[TextKey(path)] = action }
    return action
  }

  private static let mostActions = 1000

  private func receive(_ arguments: [LuaValue]) throws -> HostResult {
    let store = try store(arguments)
    let expect = try expectation(arguments.at(3))
    let matcher =
      if case .function(let predicate) = arguments.at(1) {
        ActionMatcher { [vm, session] in
          try vm.isTrue(predicate, of: try session.view(of: $0.value))
        }
      } else {
        try ActionMatcher(what: Value(arguments.at(1)), payload: try arguments.at(2).payload())
      }
    let outcome = try store.receive(matcher, timeout: arguments.at(4).double ?? 0)
    return try end(store, outcome, expect)
  }

  private func assert(_ arguments: [LuaValue]) throws -> HostResult {
    let store = try store(arguments)
    let expect = try expectation(arguments.at(1))
    guard let expect else {
      throw ScriptError("store:assert(…) needs a function that makes the state what it is")
    }
    return try end(store, .step(store.assertion, skipped: nil, task: nil), expect)
  }

  private func finish(_ arguments: [LuaValue]) throws -> HostResult {
    let store = try store(arguments)
    let timeout = arguments.at(2).double ?? 0
    return try end(store, store.finish(key(arguments.at(1)), timeout: timeout))
  }

  private func cancel(_ arguments: [LuaValue]) throws -> HostResult {
    let store = try store(arguments)
    if let key = key(arguments.at(1)) { store.cancel(key) }
    return try end(store, nil)
  }

  // MARK: Arguments

  /// The effects that an action started, as a box for scripts.
  private final class StartedEffects {
    let key: JobKey

    init(_ key: JobKey) { self.key = key }
  }

  private func key(_ lua: LuaValue) -> JobKey? {
    if case .object(let task as StartedEffects) = lua { task.key } else { nil }
  }

  /// A test's function, which changes a draft of the state into the expected state.
  func expectation(_ function: LuaValue) throws -> LuaFunction? {
    switch function {
    case .nil: return nil
    case .function(let function): return function
    default:
      throw ScriptError(
        "what is expected is a function that makes the state what it will be, not "
          + function.typeNameWithArticle)
    }
  }

  // MARK: Results

  static func list(_ texts: [String]) -> HostResult {
    .values([.value(.array(Value.List(texts.map { .string($0) })))])
  }

  private func failures(_ failures: String?) -> HostResult {
    .values([failures.map { .string($0) } ?? .nil])
  }

  private static func joined(_ first: String?, _ second: String?) -> String? {
    guard let first, let second else { return first ?? second }
    return "\(first)\n\n\(second)"
  }

  /// Checks what a statement asserts about the state, and ends it.
  func end(
    _ store: TestStoreCore, _ outcome: TestStoreCore.Outcome?, _ expect: LuaFunction? = nil
  ) throws -> HostResult {
    var (failure, skipped): (String?, String?) = (nil, nil)
    var task: JobKey?
    switch outcome {
    case nil: break
    case .failure(let message): failure = message
    case .raised(let error):
      _ = session.takeProblems()
      store.recordFailure()
      throw error
    case .step(let assertion, let skippedActions, let started):
      do {
        // The store goes on whatever comes of the check.
        defer { store.end(assertion) }
        let result = try check(assertion, of: store, expect)
        (failure, skipped) = (result.failure, Self.joined(skippedActions, result.skipped))
      } catch {
        store.recordFailure()
        throw error
      }
      task = started
    }
    failure = Self.joined(failure, store.endStatement())
    // The common case, without allocations.
    if failure == nil && skipped == nil && task == nil { return .values([]) }
    if failure != nil { store.recordFailure() }
    return .values([
      failure.map { .string($0) } ?? .nil, skipped.map { .string($0) } ?? .nil,
      task.map { .object(StartedEffects($0)) } ?? .nil,
    ])
  }

  private func check(
    _ assertion: StateAssertion, of store: TestStoreCore, _ expect: LuaFunction?
  ) throws -> StateAssertion.Result {
    guard let expect else { return try assertion.check(nil) }
    var returned: String?
    return try assertion.check { [self] state in
      let expected = try session.expecting { try vm.edit(state, with: expect, owner: owner) }
      returned = expected.returned
      return try store.agreed(expected.state, before: state, in: assertion.statement)
    } returned: {
      returned
    }
  }
}

extension AlarmDescription {
  /// As a test in Lua gets it, with the action as `receive` takes it.
  fileprivate var forTests: Value {
    var object: Value.Object = ["id": id, "action": .string(action.path)]
    if !action.payload.isEmpty { object["payload"] = .object(action.payload) }
    if let date {
      object["at"] = Self.number(date)
    } else {
      object["seconds"] = Self.number(left / .seconds(1))
    }
    if !place.isEmpty { object["place"] = .string(place) }
    return .object(object)
  }

  private static func number(_ number: Double) -> Value {
    Int64(exactly: number).map { .integer($0) } ?? .float(number)
  }
}
