import LuaBridge

/// What a reload does to each effect in flight: it finishes on the old code or is cancelled.
struct EffectsInFlight {
  fileprivate struct Effect {
    let job: Job
    let description: EffectDescription
    /// Whether its feature has `reload = "cancel"`.
    var isToBeCancelled = false
    /// What the new code lacks, if it does not have the handler of the effect.
    var lost: (handler: String, feature: FeatureNode)?
  }

  private var effects: [Effect] = []

  /// - Parameter affected: the scripts that changed and the scripts that require them. Effects of
  ///   features in other scripts continue.
  init(_ cores: [StoreCore], old: Generation, new: Generation, affected: Set<String>) {
    for core in cores {
      guard core.origin.source != nil, let effects = core.effects else { continue }
      for (job, description) in effects.described {
        var effect = Effect(job: job, description: description)
        if let feature = job.feature, affected.contains(feature.key.script) {
          let declaration = new.features[feature.key]
          // Nil for `scripted.reduce`, which declares no feature that the new code could lack.
          if let known = declaration ?? old.features[feature.key] {
            effect.isToBeCancelled = known.cancelsOnReload
            effect.lost = job.lostHandler(of: feature, in: declaration).map { ($0, feature) }
          }
        }
        self.effects.append(effect)
      }
    }
  }

  /// What became of the effects, once the stores have the new code. Besides those that a feature cancels,
  /// these are cancelled: the effects of children that a migration has taken out of the state, and those of
  /// VMs for which there is no memory.
  var outcomes: [ReloadReport.EffectOutcome] {
    effects.map { effect in
      .init(
        description: effect.description, outcome: effect.goesOn ? .finishesOnOldCode : .cancelled)
    }
  }

  /// The warnings about effects that go on, and whose handlers the new code does not have; one per handler.
  var warnings: [RuntimeWarning] {
    var known: Set<String> = []
    return effects.compactMap { effect in
      guard effect.goesOn, let (lost, feature) = effect.lost,
        known.insert("\(feature.key.script) \(feature.key.name) \(lost)").inserted
      else { return nil }
      return EffectsInFlight.warning(of: lost, feature, effect.description)
    }
  }

  private static func warning(
    of lost: String, _ feature: FeatureNode, _ effect: EffectDescription
  ) -> RuntimeWarning {
    let name = feature.feature ?? feature.origin
    return RuntimeWarning(
      kind: .vanishedHandler,
      message: """
        \(lost) is not there any more after a reload, while an effect is in flight that it returned (\(effect.origin)); \
        the effect goes on with the old code. If it should not, give \(name) `reload = "cancel"`
        """,
      origin: feature.origin, action: effect.action, effect: effect)
  }

  /// Cancels the effects whose features have `reload = "cancel"`.
  func cancel() {
    for effect in effects where effect.isToBeCancelled { effect.job.cancelInTurn() }
  }
}

extension EffectsInFlight.Effect {
  fileprivate var goesOn: Bool { !job.isCancelled && !job.hasEnded }
}

extension Job {
  /// Names the handler, or the feature, that returned the effect and that the new code does not
  /// have. Nil if the new code has it.
  fileprivate func lostHandler(of feature: FeatureNode, in new: FeatureDeclaration?) -> String? {
    guard let new else { return "the feature \(feature.feature ?? feature.origin)" }
    guard let owner = (self as? EffectJob)?.owner else { return nil }
    let patterns = owner.patterns(in: feature)
    guard let first = patterns.first, new.patterns.isDisjoint(with: patterns) else { return nil }
    return "the handler of \"\(first)\" in \(feature.feature ?? feature.origin)"
  }
}
