import ScriptValue

/// Cancelling effects by their ids, one by its number, and all of them.
extension StoreEffects {
  /// Cancels the effects with an id at a place, as those that another one replaces which is to be started in `group`.
  /// Spared are the groups that it will be in, such as the debounce that has delayed it, and what a debounce holds,
  /// which is newer or will itself replace it.
  func cancelReplaced(_ id: Value, at place: EffectPlace, during group: JobGroup? = nil) {
    cancelQueued(id, at: place, during: group, replacing: true)
    for job in place.jobs(withID: id) where job.asGroup?.contains(group) != true { job.cancel() }
  }

  /// Cancels effects at a place that have not started because they are in a sequence or a debounce; but not those of
  /// a sequence that contains `group`, because that sequence is being started.
  private func cancelQueued(
    _ id: Value, at place: EffectPlace, during group: JobGroup?, replacing: Bool = false
  ) {
    guard !place.queues.isEmpty else { return }
    for queue in place.queues where !(replacing && queue is DebouncedEffect) {
      if queue.asGroup?.contains(group) != true { queue.cancelQueued(id) }
    }
  }

  /// Cancels an id at the places that a path names, seen from `place`; without a path, at `place`.
  func cancel(
    _ id: Value, at path: ActionPath?, from place: EffectPlace, during group: JobGroup? = nil
  ) {
    var places = [place]
    for segment in path?.segments ?? [] {
      places = places.flatMap { place in
        switch segment.id {
        case nil: [place.child(segment.name, nil)].compactMap { $0 }
        case .any?: Array(place.places(segment.name).values)
        case .value(let id)?:
          [place.child(segment.name, id) ?? place.child(segment.name, NodeElements.key(of: id))]
            .compactMap { $0 }
        }
      }
    }
    for place in places { cancelQueued(id, at: place, during: group) }
    let found = places.flatMap { $0.jobs(withID: id) }
    for job in found.sorted(by: { $0.number < $1.number }) { job.cancel() }
  }

  /// Warns if a path names, seen from `place`, a child that the reducers there do not have: nothing can be in
  /// flight under it.
  func check(_ path: ActionPath?, from place: EffectPlace, of reducer: ReducerNode?) {
    guard let path, let core = core?.takeUnretainedValue(),
      let problem = core.domain.at(place)?.problem(of: path)
    else { return }
    let name = reducer?.feature ?? core.domain.name
    engine.report(
      RuntimeWarning(
        kind: .effectError, message: "effect.cancel of \(name) cancels nothing: \(problem)",
        origin: reducer?.origin ?? "?", action: nil))
  }

  /// Cancels the job with this number. Returns false if there is none.
  func cancel(_ number: UInt64) -> Bool {
    guard let job = places.jobs.first(where: { $0.number == number }) else { return false }
    job.cancelInTurn()
    return true
  }

  /// Cancels all jobs of the store, and removes its alarms.
  func cancelAll() { places.cancelAll() }
}

extension Domain {
  /// The domain of a place below this one; nil if there is none any more.
  func at(_ place: EffectPlace) -> Domain? {
    guard let parent = place.parent else { return self }
    return at(parent)?.vocabulary.child(of: place.type)?.domainOrNil
  }

  /// What is wrong with a path of places, seen from this domain; nil if it names children.
  fileprivate func problem(of path: ActionPath) -> String? {
    var domain = self
    for segment in path.segments {
      guard let child = domain.vocabulary.child(of: segment.name) else {
        let hint = Suggestion.hint(
          for: segment.name, in: domain.vocabulary.childTypes.sorted(), otherwise: "it has")
        return
          "the path \"\(path.text)\" names \"\(segment.name)\", which is no child of \(domain.name)\(hint)"
      }
      guard let next = child.domainOrNil else { return nil }
      if (next.idBytes != nil) != (segment.id != nil) {
        let right = next.idBytes != nil ? "\(segment.name)[*]" : segment.name
        return
          "the path \"\(path.text)\" names \"\(segment.name)\" of \(domain.name), which is written \"\(right)\""
      }
      domain = next
    }
    return nil
  }
}
