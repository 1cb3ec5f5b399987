import ScriptValue

/// Cancelling effects by their ids.
extension StoreEffects {
  /// The list for a job that is to be started with this id. If it replaces others, they are
  /// cancelled first, except the groups that the new job will be in, such as the debounce that has
  /// delayed it.
  func list(
    under id: Value, _ place: EffectPlace, replacing: Bool, during group: JobGroup? = nil
  ) -> CancellationList {
    let list = place.list(of: id)
    guard replacing else { return list }
    cancelQueued(id, at: place, during: group, replacing: true)
    list.cancelAll(around: group)
    // Jobs that ended may have started others with the id, which are in a new list.
    return list.isEmpty ? place.list(of: id) : list
  }

  /// Cancels the jobs with an id at a place, and effects there that have not started because they are in
  /// a sequence or a debounce; but not those of a sequence that contains `group`, because that sequence is being started.
  ///
  /// - Parameter replacing: whether another effect takes their place. It leaves what a debounce holds, which
  ///   is newer or will itself replace it.
  func cancel(
    _ id: Value, at place: EffectPlace, during group: JobGroup? = nil, replacing: Bool = false
  ) {
    cancelQueued(id, at: place, during: group, replacing: replacing)
    place.lists[id]?.cancelAll()
  }

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
    guard let path else { return cancel(id, at: place, during: group) }
    var places = [place]
    for segment in path.segments {
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
    let found = places.flatMap { $0.lists[id]?.jobs ?? [] }
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

  /// Cancels all jobs of the store, and removes its alarms.
  func cancelAll() { places.cancelAll() }
}

extension Domain {
  /// The domain of a place below this one; nil if there is none any more.
  func at(_ place: EffectPlace) -> Domain? {
    guard let parent = place.parent else { return self }
    return at(parent)?.vocabulary.child(of: place.type)?.domainToInspect
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
      guard let next = child.domainToInspect else { return nil }
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
