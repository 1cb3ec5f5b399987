import LuaBridge

/// Descriptions of the effects in flight.
extension StoreEffects {
  /// In the order in which they were started.
  var descriptions: [EffectDescription] { described.map(\.description) }

  /// The descriptions with their jobs.
  var described: [(job: Job, description: EffectDescription)] {
    let now = runner.clock.now
    return places.jobs.compactMap { job in job.description(at: now).map { (job, $0) } }
  }
}

extension Job {
  /// Describes an effect with the innermost id under which it is.
  ///
  /// - Parameter age: microseconds since it was started.
  final func describe(
    feature: String?, origin: String?, action: String?, waitingOn: String, age: Int64
  ) -> EffectDescription {
    var id = id
    var group = parent
    while id == nil, let current = group {
      id = current.id
      group = current.parent
    }
    return EffectDescription(
      feature: feature, origin: origin ?? "?", id: id, action: action, place: place.path,
      duration: .microseconds(age), waitingOn: waitingOn)
  }
}

/// Warnings about effects.
extension StoreEffects {
  func warn(of error: ScriptError, in job: Job?, _ owner: EffectOwner? = nil) {
    if error.cause is UnimplementedCall && engine.tests != nil { return }
    if let job { log?.failed(job, error) }
    if error.kind == .memory { engine.didRunOutOfMemory() }
    let described = job?.description(at: runner.clock.now)
    let feature = described?.feature ?? owner?.feature
    engine.report(
      RuntimeWarning(
        kind: .effectError,
        message: "an effect\(feature.map { " of \($0)" } ?? "") failed: \(error)",
        origin: described?.origin ?? owner?.origin ?? "?", action: described?.action,
        traceback: error.traceback, effect: described),
      ofStop: error, of: core?.takeUnretainedValue())
  }

  func warnOfSwallowing(_ body: Body) {
    let described = body.description(at: runner.clock.now)
    engine.report(
      RuntimeWarning(
        kind: .cancellationSwallowed,
        message: """
          an effect\(body.owner.map { " of \($0.feature)" } ?? "") went on waiting after it was cancelled, \
          \(Body.mostSwallowed) times, and was stopped; a pcall in a loop has to let effect.cancelled pass
          """,
        origin: described?.origin ?? "?", action: described?.action, effect: described),
      of: core?.takeUnretainedValue())
  }
}
