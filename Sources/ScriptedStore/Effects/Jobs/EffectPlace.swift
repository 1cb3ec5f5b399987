import ScriptValue

/// A place that has effects in flight or alarms: a node of the reducer tree together with the element it runs
/// on.
///
/// 1. A place exists while it has a job, an alarm, a child place or an interval of `throttle`, or while
///    something is being started in it (`hold`). The place at the root exists as long as the store.
/// 2. A place and its children retain each other. A place that is empty removes itself from its
///    parent, which breaks the cycle.
/// 3. `ownJobs` has the jobs in flight here, and no others.
/// 4. `queues` has the jobs in flight here that hold effects which have not started and one of which has
///    an id, and no others: sequences, and debounced effects.
/// 5. `jobsByID` has the jobs in flight here that have an id, and no empty list.
final class EffectPlace {
  /// nil at the root.
  let parent: EffectPlace?
  /// The type of the actions of this place, as its parent gets them.
  let type: String
  /// The key of the element in the parent's state; nil for a child that is no element.
  let key: Value?
  /// How the child here can be dismissed; nil if it cannot.
  let presentation: Presentation?
  /// The jobs here (invariant 3).
  private var ownJobs = JobList()
  /// By the type of the children's actions.
  private var children: [(type: String, places: [Value?: EffectPlace])] = []
  /// The jobs here that can be cancelled by an id (invariant 5).
  private var jobsByID: [Value: JobList] = [:]
  /// The jobs here that hold effects with ids which have not started.
  var queues: [Job] = []
  /// Whether something is being started here, so that the place stays even if it is empty.
  private var isHeld = false
  /// Intervals of `throttle` that have not passed, by id.
  var throttles: [Value: Throttle]?
  /// The alarms that are set here, by id.
  var alarms: [Value: Alarm]?

  /// Without a parent, the place at the root.
  init(
    in parent: EffectPlace? = nil, type: String = "", key: Value? = nil,
    _ presentation: Presentation? = nil
  ) {
    self.parent = parent
    self.type = type
    self.key = key
    self.presentation = presentation
  }

  var hasChildren: Bool { !children.isEmpty }

  /// Calls `body` with this place and all below.
  private func visit(_ body: (EffectPlace) -> Void) {
    body(self)
    for (_, places) in children { for place in places.values { place.visit(body) } }
  }

  func add(_ job: Job) {
    ownJobs.add(job, \.linksAtPlace)
    if let id = job.id { jobsByID[id, default: JobList()].add(job, \.linksByID) }
  }

  func remove(_ job: Job) {
    ownJobs.remove(job, \.linksAtPlace)
    if let id = job.id, let index = jobsByID.index(forKey: id) {
      jobsByID.values[index].remove(job, \.linksByID)
      if jobsByID.values[index].isEmpty { jobsByID.remove(at: index) }
    }
    if ownJobs.isEmpty && parent != nil { removeIfEmpty() }
  }

  /// The jobs in flight here with an id, in the order in which they were started.
  func jobs(withID id: Value) -> [Job] { jobsByID[id]?.jobs(\.linksByID) ?? [] }

  func removeIfEmpty() {
    guard ownJobs.isEmpty && children.isEmpty && throttles == nil && alarms == nil && !isHeld,
      let parent
    else { return }
    withExtendedLifetime(self) { parent.remove(type, key, self) }
  }

  private func remove(_ type: String, _ key: Value?, _ child: EffectPlace) {
    guard let index = children.firstIndex(where: { $0.type == type }),
      children[index].places[key] === child
    else { return }
    children[index].places[key] = nil
    if children[index].places.isEmpty { children.remove(at: index) }
    removeIfEmpty()
  }

  /// Calls `start`, and does not let the place be removed meanwhile.
  @inline(__always)
  func hold(_ start: () -> Void) {
    let outer = isHeld
    isHeld = true
    start()
    isHeld = outer
    removeIfEmpty()
  }

  /// Returns the child place with this type and key, made if it does not exist.
  func makeChild(
    _ type: String, _ key: Value?, _ presentation: Presentation? = nil
  ) -> EffectPlace {
    if let existing = child(type, key) { return existing }
    let new = EffectPlace(in: self, type: type, key: key, presentation)
    if let index = children.firstIndex(where: { $0.type == type }) {
      children[index].places[key] = new
    } else {
      children.append((type, [key: new]))
    }
    return new
  }

  func child(_ type: String, _ key: Value?) -> EffectPlace? {
    places(type)[key]
  }

  /// The child places of one type, by key.
  func places(_ type: String) -> [Value?: EffectPlace] {
    children.first { $0.type == type }?.places ?? [:]
  }

  func hasPlaces(_ type: String) -> Bool { children.contains { $0.type == type } }

  /// Cancels all jobs here and below, ends the intervals of `throttle`, and removes the alarms.
  func cancelAll() {
    cancelJobs()
    for alarm in allAlarms { alarm.remove() }
  }

  /// Cancels all jobs here and below, and ends the intervals of `throttle`. The alarms stay.
  func cancelJobs() {
    for job in jobs { job.cancel() }
    for throttle in throttleIntervals { throttle.end() }
  }

  /// The intervals of `throttle` here and below.
  var throttleIntervals: [Throttle] {
    var intervals: [Throttle] = []
    visit { place in if let throttles = place.throttles { intervals += throttles.values } }
    return intervals
  }

  /// The jobs here and below, in the order in which they were started.
  var jobs: [Job] {
    var jobs: [Job] = []
    visit { jobs += $0.ownJobs.jobs(\.linksAtPlace) }
    return jobs.sorted { $0.number < $1.number }
  }

  /// The alarms here and below, in the order in which they were set.
  var allAlarms: [Alarm] {
    var set: [Alarm] = []
    visit { place in if let alarms = place.alarms { set += alarms.values } }
    return set.sorted { $0.number < $1.number }
  }

  /// The action, as the root gets it, that dismisses the nearest presented child around this place;
  /// nil if nothing presents one.
  var dismissal: Value? {
    guard let parent else { return nil }
    guard let presentation else { return parent.dismissal }
    return presentation.dismissal(type: type, key: key)
      .flatMap { Value.nesting($0, in: parent.steps) }
  }

  /// The steps from the root to this place.
  var steps: [ActionStep] {
    guard let parent else { return [] }
    return parent.steps + [ActionStep(type: type, id: key)]
  }

  /// As in the paths of actions: `todos[3].child`.
  var path: String {
    guard let parent else { return "" }
    let above = parent.path
    let id = key.map { "[\(ActionPath.text(of: $0))]" } ?? ""
    return (above.isEmpty ? type : "\(above).\(type)") + id
  }
}

#if DEBUG || SCRIPTED_STORE_CHECKS
extension EffectPlace {
  /// Stops the process if an invariant does not hold here or below.
  func checkInvariants() {
    requireInvariant(
      parent == nil || !ownJobs.isEmpty || !children.isEmpty || throttles != nil || alarms != nil
        || isHeld,
      "invariant 1: the place \(path) is empty")
    requireInvariant(
      alarms?.isEmpty != true, "invariant 1: the alarms of the place \(path) are empty")
    requireInvariant(
      throttles?.isEmpty != true, "invariant 1: the intervals of the place \(path) are empty")
    ownJobs.checkLinks(\.linksAtPlace, "invariant 3: the jobs at \(path)")
    let own = ownJobs.jobs(\.linksAtPlace)
    requireInvariant(
      own.allSatisfy { $0.place === self && !$0.hasEnded },
      "invariant 3: a job of another place, or one that has ended, is listed at \(path)")
    for (id, jobs) in jobsByID {
      jobs.checkLinks(\.linksByID, "invariant 5: the jobs at \(path) with the id \(id)")
      requireInvariant(!jobs.isEmpty, "invariant 5: an id of \(path) has no jobs")
    }
    let byID = jobsByID.flatMap { id, jobs in jobs.jobs(\.linksByID).filter { $0.id == id } }
    requireInvariant(
      Set(byID.map(\.number)) == Set(own.filter { $0.id != nil }.map(\.number)),
      "invariant 5: the jobs at \(path) by id are not those with an id")
    for queue in queues {
      requireInvariant(
        queue.place === self && queue.holdsIDs && !queue.hasEnded,
        "invariant 4: a job that has ended, or holds no ids, is in the queues of \(path)")
    }
    for (type, places) in children {
      requireInvariant(!places.isEmpty, "invariant 1: \(path) has no children of type \(type)")
      for (key, child) in places {
        requireInvariant(
          child.parent === self && child.type == type && child.key == key,
          "invariant 2: \(child.path) is a child of \(path) under another name")
        child.checkInvariants()
      }
    }
  }
}
#endif
