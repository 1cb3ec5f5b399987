import LuaBridge

/// A store under test, inside a worker. The store processes every action at once, like a live
/// store, and records it with the states before and after, in O(1). The test then asserts the
/// records, one after the other.
///
///     received:  [ asserted … | unasserted … ]
///                             ▲ next
///
/// 1. `received` has the actions of effects, in order. `received[next...]` are not asserted yet.
///    When all are asserted, `received` is emptied.
/// 2. The action that the test sends is not in `received`: it is the first record after `isSending`
///    was set, and goes to `sent`.
/// 3. `state` is the state after the last asserted action. While an action is being asserted, it is
///    the state before it; ``end(_:)`` moves it on.
package final class TestStoreCore {
  // Proof: scripts retain this object, and the engine owns their VM and the session. So this object
  // is used only while both exist. It must not retain them: that would be a cycle through the VM.
  package unowned(unsafe) let session: TestSession
  private unowned(unsafe) let engine: Engine
  private let slot: Int
  private let core: StoreCore
  package var exhaustivity = Exhaustivity.on
  /// Whether its handlers may call only what those of a durable store may.
  private let isDurable: Bool
  /// See 3.
  package private(set) var state: Value { didSet { shownState = nil } }
  private var shownState: LuaValue?
  /// The feature that asked to be dismissed, and the source line, as text; nil if none has asked.
  private var dismissal: String?
  /// Whether an assertion has failed. Then the checks at the end of the test are skipped.
  private(set) var hasFailed = false
  private(set) var isClosed = false
  /// The script line that made the store. Failures at the end of the test name it if they know no
  /// better, because no script runs then.
  var madeAt: String?
  /// What the test looks at; nil in a test without a view.
  private(set) var testView: TestView?
  /// An action of an effect, and the script line of the statement during which it arrived; nil for
  /// a test in Swift.
  typealias Received = (record: ActionRecord, choices: ChosenKeys.Shown?, line: String?)
  /// See 1.
  private var received: [Received] = [] { didSet { located = min(located, received.count) } }
  /// How many of `received` have got their line.
  private var located = 0
  private var next = 0
  /// See 2.
  private var isSending = false
  private var sent: Received?
  /// The keys that functions have chosen for shared fields, in the states that the last statement was
  /// about; nil if the store has no shared fields.
  private var choices: ChosenKeys.Shown?
  /// The numbers of jobs that the test need not end: see ``skipInFlightEffects(strict:)``.
  private var exempt: Set<UInt64> = []
  /// The numbers of the alarms that the test has read.
  private var assertedAlarms: Set<UInt64> = []

  init(_ engine: Engine, slot: Int, core: StoreCore, session: TestSession, isDurable: Bool) {
    self.isDurable = isDurable
    self.engine = engine
    self.slot = slot
    self.core = core
    self.session = session
    state = core.state
    choices = core.sharing?.chosen.shownChoices
    // Closing the store removes it again. The session closes all stores, at the latest before the
    // engine is deallocated.
    core.add(self)
    session.add(self)
  }

  /// What stands behind a field of the state that is in no element of a list; nil if it is not shared.
  func sharedField(at path: String) -> SharedFields.Target? {
    let keys = path.splitAtDots()
    return core.sharing?.fields.container(at: keys.dropLast()).target(named: keys.last ?? "")
  }

  /// Closes the store and cancels its effects. It cannot be used after that.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    shownState = nil
    testView = nil
    engine.close(slot)
    core.removeListeners { $0 === self }
  }

  /// Gives the actions that have arrived during a statement its line. Called at its end, because an
  /// action may arrive while the function of an effect runs.
  func locateReceived() {
    guard located < received.count else { return }
    let line = engine.context.vm.scriptLocation
    for index in located..<received.count { received[index].line = line }
    located = received.count
  }

  // MARK: Current State

  package var isDismissed: Bool { dismissal != nil }

  var unasserted: ArraySlice<Received> { received[next...] }

  /// How many actions have been received that are not asserted.
  package var unassertedCount: Int { unasserted.count }

  /// The effects in flight, in the order in which they were started, except the exempt ones.
  var inFlight: [EffectDescription] { described { !exempt.contains($0.number) } }

  /// The effects in flight that the action with this key has started.
  func inFlight(of key: JobKey) -> [EffectDescription] {
    guard let root = engine.effects.jobTable[key] else { return [] }
    return described { $0.rootJob === root }
  }

  private func described(where isWanted: (Job) -> Bool) -> [EffectDescription] {
    (core.effects?.described ?? []).filter { isWanted($0.job) }.map(\.description)
  }

  /// The alarms that are set, in the order of their times.
  private var setAlarms: [Alarm] { core.alarms?.byTime ?? [] }

  /// The alarms that are set and that the test has not read.
  var unassertedAlarms: [AlarmDescription] {
    setAlarms.filter { !assertedAlarms.contains($0.number) }.map(\.description)
  }

  /// Whether nothing can happen until the test acts: no effect is ready, no function of the host is
  /// being awaited, and no effect waits for real time.
  package var isWaitingForTest: Bool { engine.isStill }

  /// The error for a caller that the store itself runs.
  static var notTheTest: ScriptError {
    ScriptError("a store is tested from its test, not from a reducer or an effect")
  }

  /// Runs effects until none can continue without the test or a function of the host.
  func runUntilIdle() { engine.runUntilIdle() }

  func stateView() throws(ScriptError) -> LuaValue {
    if let shownState { return shownState }
    let view = try session.view(of: state)
    shownState = view
    return view
  }

  package func recordFailure() { hasFailed = true }

  // MARK: Statements

  /// The result of a statement, before its assertion about the state.
  package enum Outcome: Sendable {
    /// An action was sent or received: what is to be asserted about the state, the actions that a non-exhaustive
    /// statement skipped, as text, if that is shown, and what the action has started.
    case step(StateAssertion, skipped: String?, task: JobKey?)
    /// The error that the action raised.
    case raised(ScriptError)
    case failure(String)
  }

  /// The outcome of a statement of a Swift test, and the problems that came up during it besides. Without an outcome
  /// there is nothing to assert about the state, and nothing has failed.
  package typealias Report = (outcome: Outcome?, problems: String?)

  /// Ends a statement of a Swift test, whose assertion about the state is checked outside of the worker. The store goes
  /// on before that.
  package func report(_ outcome: Outcome?) -> Report {
    if case .step(let assertion, _, _)? = outcome { end(assertion) }
    return (outcome, endStatement())
  }

  /// Ends a statement of the test. Returns the problems that came up during it.
  func endStatement() -> String? {
    testView?.update()
    return session.endStatement()
  }

  /// Sends an action. Fails if unasserted actions exist and the test is exhaustive, or if the
  /// feature was dismissed.
  package func send(_ action: Action, transaction: Value? = nil) -> Outcome {
    let (refusal, skipped) = prepare("the action \(action) was not sent")
    if let refusal { return refusal }
    isSending = true
    let key = engine.process(action, in: slot, transaction: transaction)
    runUntilIdle()
    isSending = false
    guard let record = sent else { return .failure("the action \(action) was not reduced") }
    sent = nil
    return outcome(record, .send, skipped: skipped, task: key)
  }

  /// Prepares a statement that acts on the store. It must not if the feature was dismissed, or if unasserted
  /// actions exist and the test is exhaustive.
  ///
  /// - Parameter refusal: what is not done then, for the message.
  /// - Returns: the failure, and the actions that the statement skips, as text, if that is shown.
  private func prepare(_ refusal: String) -> (refusal: Outcome?, skipped: String?) {
    if let dismissal {
      let failure = """
        \(refusal): \(dismissal), and what presents it would have removed it by now. Test \
        what comes after a dismissal with another store.
        """
      return (.failure(failure), nil)
    }
    guard !unasserted.isEmpty else { return (nil, nil) }
    guard case .off(let showSkipped) = exhaustivity else {
      return (.failure("\(refusal). \(unreceived)"), nil)
    }
    let skipped = showSkipped ? Self.list(unasserted) : nil
    skipAll()
    return (nil, skipped)
  }

  /// Does what a lost process does: gives transient fields their defaults, cancels the effects in flight, and sends
  /// `recovered` where there were some, which the test receives. Fails as ``send(_:transaction:)`` does.
  package func crash() throws(ScriptError) -> Outcome {
    let (refusal, skipped) = prepare("the store was not crashed")
    if let refusal { return refusal }
    let before = core.state
    let effects = try core.lose(engine)
    runUntilIdle()
    let after = core.state
    choices = core.sharing?.chosen.shownChoices
    core.recover(effects: effects, engine)
    runUntilIdle()
    let assertion = StateAssertion(
      statement: .crash, exhaustivity: exhaustivity, before: before, after: after)
    return .step(assertion, skipped: skipped, task: nil)
  }

  // MARK: Views

  /// What the test looks at, from the first use on.
  package var view: TestView { testView ?? look([:]) }

  /// Lets the test look at what the store's views show.
  func look(_ environment: Value.Object) -> TestView {
    let new = TestView(self, core, engine, environment: environment)
    testView = new
    new.update()
    return new
  }

  /// Processes the action of a node that has appeared, which is received as that of an effect. Returns the key of what it
  /// started.
  func appear(_ action: Action, _ transaction: Value?) -> JobKey? {
    let key = engine.process(action, in: slot, transaction: transaction)
    runUntilIdle()
    return key
  }

  /// Takes the next unasserted action, which must match. A non-exhaustive test takes the first that
  /// matches and skips those before it. Waits up to `timeout` seconds for functions of the host.
  func receive(_ matcher: ActionMatcher, timeout: Double) throws -> Outcome {
    func take() throws -> Outcome? {
      runUntilIdle()
      let match = try session.expecting {
        try candidates.firstIndex { try matcher.matches($0.record.action) }
      }
      return takeReceived(matcher, at: match.map { $0 - next })
    }
    var outcome = Result { try take() }
    if case .success(nil) = outcome {
      session.wait(timeout) {
        // Called again after it has returned true, so it must not take another record then.
        if case .success(nil) = outcome { outcome = Result { try take() } }
        if case .success(nil) = outcome { return isWaitingForTest }
        return true
      }
    }
    return try outcome.get() ?? notReceived(matcher)
  }

  /// What the next `receive` may take.
  private var candidates: ArraySlice<Received> {
    exhaustivity == .on ? unasserted.prefix(1) : unasserted
  }

  /// The actions that the next `receive` may take.
  package func receivableActions() -> [Action] {
    runUntilIdle()
    return candidates.map(\.record.action)
  }

  /// Takes one of these actions. An exhaustive test fails if the only one does not match.
  ///
  /// - Parameter match: the index of the first one that matches; nil if none does.
  /// - Returns: nil if no action can be taken.
  package func takeReceived(_ matcher: ActionMatcher, at match: Int?) -> Outcome? {
    switch exhaustivity {
    case .on:
      guard let first = unasserted.first else { return nil }
      next += 1
      let outcome = outcome(first, .receive)
      if match != nil { return outcome }
      state = first.record.after
      return .failure(unexpected(first.record.action, matcher))
    case .off(let showSkipped):
      // Another thread may have taken actions since a Swift test has chosen one.
      guard let match, match < unasserted.count else { return nil }
      let skipped = showSkipped && match > 0 ? Self.list(unasserted.prefix(match)) : nil
      let found = received[next + match]
      if match > 0 { state = found.record.before }
      next += match + 1
      return outcome(found, .receive, skipped: skipped)
    }
  }

  /// Waits until all effects have ended, or those that the action with this key started. Returns
  /// the failure or nil.
  func finish(_ key: JobKey?, timeout: Double) -> Outcome? {
    if let failure = failureBeforeFinish(key) { return failure }
    if hasFinished(key) { return nil }
    session.wait(timeout) { hasFinished(key) || isWaitingForTest }
    return unfinished(key, after: timeout)
  }

  /// The failure of an exhaustive test that waits for all effects although unasserted actions
  /// exist; else nil.
  package func failureBeforeFinish(_ key: JobKey?) -> Outcome? {
    runUntilIdle()
    guard key == nil, exhaustivity == .on, !unasserted.isEmpty else { return nil }
    return .failure(unreceived)
  }

  private func outcome(
    _ found: Received, _ statement: StateAssertion.Statement, skipped: String? = nil,
    task: JobKey? = nil
  ) -> Outcome {
    let record = found.record
    choices = found.choices
    if next > 0 && next == received.count {
      received.removeAll(keepingCapacity: true)
      next = 0
    }
    if let error = record.error {
      state = record.after
      return .raised(error)
    }
    let assertion = StateAssertion(
      statement: statement, exhaustivity: exhaustivity, before: record.before, after: record.after,
      sent: statement == .send ? record.action : nil)
    return .step(assertion, skipped: skipped, task: task)
  }

  /// Ends the assertion of a step, whether it succeeded or not.
  func end(_ assertion: StateAssertion) { state = assertion.after }

  /// An assertion about the current state, for a statement that is not about an action.
  package var assertion: StateAssertion {
    StateAssertion(statement: .assert, exhaustivity: exhaustivity, before: state, after: state)
  }

  private func skipAll() {
    received = []
    next = 0
    state = core.state
    choices = core.sharing?.chosen.shownChoices
  }

  package func skipReceivedActions(strict: Bool) -> Outcome? {
    runUntilIdle()
    if unasserted.isEmpty && strict { return .failure("there were no received actions to skip") }
    skipAll()
    return nil
  }

  package func skipInFlightEffects(strict: Bool) -> Outcome? {
    runUntilIdle()
    let new = (core.effects?.described ?? []).map(\.job.number).filter { !exempt.contains($0) }
    if new.isEmpty && strict { return .failure("there were no effects in flight to skip") }
    exempt.formUnion(new)
    return nil
  }

  /// The alarms that are set, in the order of their times. They count as asserted from then on.
  package func readAlarms() -> [AlarmDescription] {
    runUntilIdle()
    assertedAlarms.formUnion(setAlarms.map(\.number))
    return setAlarms.map(\.description)
  }

  /// Lets the alarms that are set now be set at the end of the test.
  package func skipAlarms(strict: Bool) -> Outcome? {
    runUntilIdle()
    if unassertedAlarms.isEmpty && strict { return .failure("there were no alarms to skip") }
    _ = readAlarms()
    return nil
  }

  /// Whether all effects have ended, or those that the action with this key started.
  package func hasFinished(_ key: JobKey?) -> Bool {
    runUntilIdle()
    if let key { return engine.effects.jobTable[key] == nil }
    return inFlight.isEmpty
  }

  package func cancel(_ key: JobKey) {
    engine.effects.cancel(key)
    runUntilIdle()
  }

  /// Overrides a dependency from now on.
  func override(
    _ name: String, by value: DependencyOverride.Change, origin: String
  ) throws(ScriptError) {
    core.dependencies = try core.dependencies.storeScope(
      overriding: [name: value], origin: origin)
  }

  package func override(_ name: String, by dependency: Dependency) throws(ScriptError) {
    try override(name, by: .host(dependency), origin: "the test")
  }

  /// Changes a shared value as another store would.
  package func setShared(_ name: String, to value: Value?) {
    engine.sharing.set(at: [.string(SharedIdentity(.inMemory, name).text)], to: value)
  }

  /// A shared value by the name of its key; nil if it has none.
  package func shared(_ name: String) -> Value? {
    engine.sharing.values.version.values[SharedIdentity(.inMemory, name)]
  }

  func dependencies() throws(ScriptError) -> LuaValue {
    .other(try DependencyTable(scope: core.dependencies, feature: "the test").make())
  }

  /// The state that the test expects, in which all fields of one shared value agree.
  package func agreed(
    _ expected: Value, before: Value, in statement: StateAssertion.Statement
  ) throws(ScriptError) -> Value {
    guard let sharing = core.sharing, let choices else { return expected }
    return try sharing.agreed(
      expected, before: before, statement == .assert ? choices.after : choices.before,
      engine.context)
  }

  // MARK: Checks at the End of the Test

  /// The failures of an exhaustive test at its end; nil if there are none, or if an assertion has
  /// failed before.
  func failureAtEnd() -> String? {
    guard !hasFailed, exhaustivity == .on else { return nil }
    var failures: [String] = []
    var line = madeAt
    if let failure = testView?.auditFailure { failures.append(failure) }
    testView?.close()
    runUntilIdle()
    if let first = unasserted.first {
      if failures.isEmpty { line = first.line ?? line }
      failures.append(unreceived)
    }
    let effects = inFlight
    if !effects.isEmpty { failures.append(inFlightAtEnd(effects)) }
    if let failure = alarmsAtEnd { failures.append(failure) }
    guard !failures.isEmpty else { return nil }
    return (line.map { "\($0): " } ?? "") + failures.joined(separator: "\n\n")
  }
}

/// The test stands for what presents the feature, and gets the errors of actions.
extension TestStoreCore: StoreListener {
  var takesErrors: Bool { true }

  func willReduce() {
    guard isDurable else { return }
    let recorder = engine.context.durableRecorder
    recorder.begin()
    engine.context.recorder = recorder
  }

  func didReduce(_ record: ActionRecord) {
    if isDurable, let recorder = engine.context.recorder {
      engine.context.recorder = nil
      _ = recorder.end()
    }
    let received: Received = (record, core.sharing?.chosen.shownChoices, nil)
    if isSending {
      isSending = false
      sent = received
    } else {
      self.received.append(received)
    }
  }

  func takesDismissal(by reducer: ReducerNode?) -> Bool {
    let place = engine.context.vm.scriptLocation.map { " at \($0)" } ?? ""
    if dismissal == nil {
      dismissal = "\(reducer?.feature ?? "the feature") asked to be dismissed\(place)"
    }
    return true
  }
}
