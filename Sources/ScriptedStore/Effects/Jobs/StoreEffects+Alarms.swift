import LuaBridge

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Setting the alarms that reducers return.
extension StoreEffects {
  /// Sets an alarm for the reducer that returned it.
  func start(_ request: AlarmRequest, _ context: StartContext) {
    guard let clock = clock(for: "effect.alarm", context) else { return }
    do throws(ScriptError) {
      let (action, transaction) = try nested(request.action, context.route)
      let (seconds, setAt) = try time(of: request.due, context)
      guard !clock.passesAtOnce else {
        context.place.alarms?[request.id]?.remove()
        clock.advance(to: clock.instant.after(seconds))
        let message = Message(action, from: context.reducer, transaction: transaction)
        core?._withUnsafeGuaranteedRef { $0.enqueue(message, engine) }
        return
      }
      let note = AlarmNote(
        key: .init(place: context.place.steps, id: request.id),
        feature: context.reducer?.feature, action: action, transaction: transaction,
        due: request.due, setAt: setAt)
      try alarms.set(note, at: context.place, after: seconds, on: clock)
    } catch {
      warn(of: error, in: nil, context.owner)
    }
  }

  /// An action as the root gets it, and the transaction that goes with it. Throws under `map`.
  private func nested(
    _ action: Action, _ route: Route?
  ) throws(ScriptError) -> (Action, transaction: Value?) {
    var (value, transaction) = (action.value, nil as Value?)
    var next = route
    while let route = next {
      switch route.stage {
      case .nested(let step):
        guard let nested = Value.nesting(value, in: [step]) else {
          throw ScriptError("an alarm sends \(ActionError(tooDeep: action.path))")
        }
        value = nested
      case .map: throw AlarmRequest.mapped
      case .transaction(let outer): transaction = outer
      // It concerns what is sent now.
      case .throttle: break
      }
      next = route.outer
    }
    return (Action(trusted: value), transaction)
  }

  /// The seconds until a time, and the date of now, in seconds since 1970.
  private func time(
    of due: AlarmRequest.Due, _ context: StartContext
  ) throws(ScriptError) -> (seconds: Double, now: Double) {
    // A test has no journal that would keep the date, and its double of it may count its calls.
    if case .after(let seconds) = due, engine.tests != nil { return (seconds, 0) }
    let scope = context.owner?.scope ?? core?.takeUnretainedValue().dependencies
    let now = try scope?.date()
    switch due {
    case .after(let seconds): return (seconds, now ?? Date().timeIntervalSince1970)
    case .at(let date):
      if now == nil, engine.tests != nil {
        let name = context.owner?.feature ?? context.reducer?.feature ?? "the test"
        throw runner.report(
          UnimplementedCall(
            use: "effect.alarm in \(name) reads deps.date", path: ["date"],
            origin: context.owner?.origin))
      }
      let now = now ?? Date().timeIntervalSince1970
      return (max(0, date - now), now)
    }
  }

  /// The place with these steps from the root, made if it does not exist.
  func makePlace(_ steps: [ActionStep]) -> EffectPlace {
    var (place, domain) = (places, core?.takeUnretainedValue().domain)
    for step in steps {
      let child = domain?.root.child(named: step.type)
      place = place.makeChild(step.type, step.id, child?.presentation)
      domain = child?.domain.domainOrNil
    }
    return place
  }
}

extension Alarm {
  /// Its action on the way to the root, from the reducer that has set it, in the code of now.
  func message(of effects: StoreEffects) -> Message {
    let domain = effects.core?.takeUnretainedValue().domain.at(place)
    let sender = domain.map { domain in
      note.feature.flatMap { name in domain.root.first { $0.feature == name ? $0 : nil } }
        ?? domain.root
    }
    return Message(note.action, from: sender, by: .alarm, transaction: note.transaction)
  }
}

extension DependencyScope {
  /// What `date.now()` returns in this scope; nil if it has no value, or is no function.
  fileprivate func date() throws(ScriptError) -> Double? {
    guard let now = try? binding(of: "date").member(["now"]) else { return nil }
    switch now {
    case .host(let dependency):
      guard case .function(_, let body) = dependency.kind else { return nil }
      return (try? body([]))??.state?.double
    case .script(.function(let function)): return try function.call([]).first?.double
    default: return nil
    }
  }
}
