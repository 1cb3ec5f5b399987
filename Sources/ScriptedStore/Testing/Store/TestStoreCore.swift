import LuaBridge

/// A store under test, inside a worker: what the test has asserted of it, and what it has not yet.
///
/// Every action is processed as in a live store, at once, and recorded with the states before and after, which cost
/// nothing to keep; a test asserts the records.
final class TestStoreCore {
  // Proof: scripts hold this, and the engine, which has the session, keeps the VM that they are in; neither may be kept
  // by it in turn, and nobody can reach it when they are gone.
  unowned(unsafe) let session: TestSession
  private unowned(unsafe) let engine: Engine
  private let slot: Int
  private let core: StoreCore
  var exhaustivity = Exhaustivity.on
  /// Seconds that a statement waits for the host's dependencies.
  static let defaultTimeout = 1.0
  /// As of the last action that was asserted; while one is asserted, as it was before that.
  private(set) var state: Value { didSet { view = nil } }
  private var view: LuaValue?
  /// Which feature asked to be dismissed, and where, in words; nil if none has.
  private var dismissal: String?
  /// A failed assertion takes the place of what is checked at the end.
  private(set) var hasFailed = false
  private(set) var isClosed = false
  /// The line of a script that made it, for what is found when none runs.
  var place: String?
  /// What effects sent and the test has not asserted, from `next` on.
  private var received: [ActionRecord] = []
  private var next = 0
  /// The action that the test sends, until it is reduced.
  private var isSending = false
  private var sent: ActionRecord?
  /// Numbers of jobs that need not end.
  private var exempt: Set<UInt64> = []

  init(_ engine: Engine, slot: Int, core: StoreCore, session: TestSession) {
    self.engine = engine
    self.slot = slot
    self.core = core
    self.session = session
    state = core.state
    core.journal = { [unowned self] in record($0) }
    core.onDismiss = { [unowned self] in dismissed($0) }
    session.add(self)
  }

  /// Cancels what is in flight. Nothing can be done with it any more.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    view = nil
    engine.close(slot)
    // Whatever may still have the core does not tell one that is gone.
    (core.journal, core.onDismiss) = (nil, nil)
  }

  private func record(_ record: ActionRecord) {
    if isSending {
      isSending = false
      sent = record
    } else {
      received.append(record)
    }
  }

  private func dismissed(_ reducer: ReducerNode?) {
    let place = engine.context.vm.place.map { " at \($0)" } ?? ""
    if dismissal == nil {
      dismissal = "\(reducer?.feature ?? "the feature") asked to be dismissed\(place)"
    }
  }

  // MARK: What is there

  var isDismissed: Bool { dismissal != nil }

  var unasserted: ArraySlice<ActionRecord> { received[next...] }

  /// What has not ended, in the order in which it was started, except what was exempted.
  var inFlight: [EffectDescription] {
    (core.effects?.numbered ?? []).filter { !exempt.contains($0.number) }.map(\.description)
  }

  /// Whether nothing can happen before the test lets it.
  var isStill: Bool { engine.isStill }

  /// Lets effects go on until none can without the test, or a host's dependency.
  func settle() { engine.settle() }

  func stateView() throws(ScriptError) -> LuaValue {
    if let view { return view }
    let view = try session.view(of: state)
    self.view = view
    return view
  }

  func fail() { hasFailed = true }

  // MARK: Statements

  /// An action that was asserted.
  struct Step {
    let action: Action
    let assertion: StateAssertion
    /// What non-exhaustive statements passed over, where that is shown.
    let skipped: String?
  }

  /// What a statement says for itself.
  enum Outcome {
    case step(Step, task: JobKey?)
    /// What the action raised.
    case raised(ScriptError)
    case failure(String)
  }

  /// Sends an action, unless what was received before has to be asserted first.
  func send(_ action: Action) -> Outcome {
    if let dismissal {
      return .failure(
        """
        the action \(action) was not sent: \(dismissal), and what presents it would have removed it by now. Test \
        what comes after a dismissal with another store.
        """)
    }
    var skipped: String?
    if !unasserted.isEmpty {
      guard case .off(let showSkipped) = exhaustivity else {
        return .failure("the action \(action) was not sent. \(unreceived)")
      }
      if showSkipped { skipped = Self.list(unasserted) }
      skipAll()
    }
    isSending = true
    let key = engine.process(action, in: slot)
    settle()
    isSending = false
    guard let record = sent else { return .failure("the action \(action) was not reduced") }
    sent = nil
    return outcome(record, .send, skipped: skipped, task: key)
  }

  /// The first action that waits, if it is the one that is meant; without exhaustivity the first that is. Waits for
  /// what the host's dependencies cause.
  func receive(_ matcher: ActionMatcher, timeout: Double) throws -> Outcome {
    var outcome = Result { try received(matcher) }
    if case .success(nil) = outcome {
      session.wait(timeout) {
        outcome = Result { try received(matcher) }
        if case .success(nil) = outcome { return isStill }
        return true
      }
    }
    return try outcome.get() ?? nothing(matcher)
  }

  /// The actions that one to be received is chosen from.
  var candidates: [Action] {
    settle()
    return (exhaustivity == .on ? unasserted.prefix(1) : unasserted).map(\.action)
  }

  /// The same of what is there; nil if there is none.
  func received(_ matcher: ActionMatcher) throws -> Outcome? {
    settle()
    switch exhaustivity {
    case .on:
      guard let record = unasserted.first else { return nil }
      let matches = try session.expecting { try matcher.matches(record.action) }
      next += 1
      let outcome = outcome(record, .receive)
      if matches { return outcome }
      state = record.after
      return .failure(unexpected(record.action, matcher))
    case .off(let showSkipped):
      for (index, record) in unasserted.enumerated() {
        guard try session.expecting({ try matcher.matches(record.action) }) else { continue }
        let skipped = showSkipped && index > 0 ? Self.list(unasserted.prefix(index)) : nil
        if index > 0 { state = record.before }
        next += index + 1
        return outcome(record, .receive, skipped: skipped)
      }
      return nil
    }
  }

  /// Waits until all effects have ended, with a task's key those that it started; what failed.
  func finish(_ key: JobKey?, timeout: Double) -> String? {
    if let failure = failureBeforeFinish(key) { return failure }
    if hasFinished(key) { return nil }
    session.wait(timeout) { hasFinished(key) || isStill }
    return hasFinished(key) ? nil : unfinished(isStill ? 0 : timeout)
  }

  /// Why a test that is exhaustive may not wait for the end of all effects yet.
  func failureBeforeFinish(_ key: JobKey?) -> String? {
    settle()
    guard key == nil, exhaustivity == .on, !unasserted.isEmpty else { return nil }
    return unreceived
  }

  private func outcome(
    _ record: ActionRecord, _ statement: StateAssertion.Statement, skipped: String? = nil,
    task: JobKey? = nil
  ) -> Outcome {
    if next > 0 && next == received.count {
      received.removeAll(keepingCapacity: true)
      next = 0
    }
    if let error = record.error {
      state = record.after
      return .raised(error)
    }
    let assertion = StateAssertion(
      statement: statement, exhaustivity: exhaustivity, before: record.before, after: record.after)
    return .step(
      Step(action: record.action, assertion: assertion, skipped: skipped), task: task)
  }

  /// The assertion of a step is over, whatever came of it.
  func end(_ step: Step) { state = step.assertion.after }

  /// What the state is, for a statement that is not about an action.
  var assertion: StateAssertion {
    StateAssertion(statement: .assert, exhaustivity: exhaustivity, before: state, after: state)
  }

  private func skipAll() {
    received = []
    next = 0
    state = core.state
  }

  func skipReceivedActions(strict: Bool) -> String? {
    settle()
    if unasserted.isEmpty && strict {
      return "there were no received actions to skip"
    }
    skipAll()
    return nil
  }

  func skipInFlightEffects(strict: Bool) -> String? {
    settle()
    let new = (core.effects?.numbered ?? []).map(\.number).filter { !exempt.contains($0) }
    if new.isEmpty && strict { return "there were no effects in flight to skip" }
    exempt.formUnion(new)
    return nil
  }

  /// Whether all effects have ended; with a task's key, those that it started.
  func hasFinished(_ key: JobKey?) -> Bool {
    settle()
    if let key { return engine.effects.known.pointee[key] == nil }
    return inFlight.isEmpty
  }

  func cancel(_ key: JobKey) {
    engine.effects.cancel(key)
    settle()
  }

  /// Lets the reducer find another value of a dependency from now on.
  func override(
    _ name: String, by value: DependencyOverride.Change, origin: String
  ) throws(ScriptError) {
    core.dependencies = try core.dependencies.overriding([name: value], origin: origin)
  }

  func dependencies() throws(ScriptError) -> LuaValue {
    .other(try DependencyRecord(scope: core.dependencies, feature: "the test").make())
  }

  // MARK: The end

  /// What is left at the end of a test that must not be.
  func failureAtEnd() -> String? {
    guard !hasFailed, exhaustivity == .on else { return nil }
    settle()
    var failures: [String] = []
    if !unasserted.isEmpty { failures.append(unreceived) }
    let effects = inFlight
    if !effects.isEmpty {
      failures.append(
        """
        \(Self.count(effects.count, "effect")) \(effects.count == 1 ? "is" : "are") still in flight at the end of \
        the test:
        \(Self.list(effects))

        \(Self.remedy(effects)), or leave them out by skipInFlightEffects().
        """)
    }
    guard !failures.isEmpty else { return nil }
    return (place.map { "\($0): " } ?? "") + failures.joined(separator: "\n\n")
  }

  // MARK: Messages

  private var unreceived: String {
    """
    \(Self.count(unasserted.count, "action")) \(unasserted.count == 1 ? "was" : "were") received and not asserted:
    \(Self.list(unasserted))

    Assert each by receive(…), or leave them out by skipReceivedActions() or an exhaustivity of "off".
    """
  }

  private func unexpected(_ action: Action, _ matcher: ActionMatcher) -> String {
    if let difference = matcher.difference(from: action) {
      return """
        the received action \(action.path) is not what was expected (- expected, + actual):

        \(difference)
        """
    }
    var message = "expected \(matcher), but received \(action)"
    if !unasserted.isEmpty { message += "\n\nReceived after it:\n\(Self.list(unasserted))" }
    return message
  }

  func nothing(_ matcher: ActionMatcher) -> Outcome {
    var message = "expected to receive \(matcher), but "
    if unasserted.isEmpty {
      message += "no action was received"
    } else {
      message += "none of the received actions is one:\n\(Self.list(unasserted))"
    }
    let effects = inFlight
    if effects.isEmpty {
      message += "\n\nNo effect is in flight that could send one."
    } else {
      message += "\n\nIn flight:\n\(Self.list(effects))\n\n\(Self.remedy(effects))."
    }
    return .failure(message)
  }

  func unfinished(_ waited: Double) -> String {
    let effects = inFlight
    let time = waited > 0 ? " after \(waited) s" : ""
    return """
      effects were expected to finish, but \(Self.count(effects.count, "effect")) \
      \(effects.count == 1 ? "is" : "are") in flight\(time):
      \(Self.list(effects))

      \(Self.remedy(effects)).
      """
  }

  /// What lets effects go on that wait for this.
  private static func remedy(_ effects: [EffectDescription]) -> String {
    let waits = Set(effects.map(\.waitingOn))
    if waits.contains(where: { $0.hasPrefix("clock.") || $0 == "debounce" || $0 == "throttle" }) {
      return "Let time pass by clock:advance(…), or cancel them"
    }
    return "Let them end, or cancel them"
  }

  static func list(_ records: ArraySlice<ActionRecord>) -> String {
    lines(records) { record in
      var line = "\(record.action)"
      if let feature = record.feature { line += " (from an effect of \(feature))" }
      if let error = record.error { line += ", which raised \(error)" }
      return line
    }
  }

  static func list(_ effects: [EffectDescription]) -> String {
    lines(effects[...]) { effect in
      effect.action.map { "\(effect), returned for \($0)" } ?? "\(effect)"
    }
  }

  private static func lines<Item>(_ items: ArraySlice<Item>, _ text: (Item) -> String) -> String {
    var lines = items.prefix(20).map { "  - \(text($0))" }
    if items.count > 20 { lines.append("  - and \(items.count - 20) more") }
    return lines.joined(separator: "\n")
  }

  static func count(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }
}
