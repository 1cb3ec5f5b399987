import LuaBridge

/// A place that has effects in flight: a node of the reducer tree together with the element it runs
/// on.
///
/// 1. A place exists while it has a job, a child place or an interval of `throttle`, or while
///    something is being started in it (`hold`). The place at the root exists as long as the store.
/// 2. A place and its children retain each other. A place that is empty removes itself from its
///    parent, which breaks the cycle.
/// 3. The list of jobs holds no references: only jobs in flight are in it.
final class EffectPlace {
  /// nil at the root.
  let parent: EffectPlace?
  /// The type of the actions of this place, as its parent gets them.
  let type: String
  /// The key of the element in the parent's state; nil for a child that is no element.
  let key: Value?
  /// How the child here can be dismissed; nil if it cannot.
  let presentation: Presentation?
  private let isRoot: Bool
  /// The job that was started last, borrowed (+0); `nextAtPlace` leads to the others.
  private var first: Unmanaged<Job>?
  /// By the type of the children's actions.
  private var children: [(type: String, places: [Value?: EffectPlace])] = []
  /// Avoids the dynamic exclusivity check on `children`.
  private(set) var hasChildren = false
  /// Sequences here in which an effect that has not started has an id.
  var queues: [JobSequence] = []
  /// Whether something is being started here, so that the place stays even if it is empty.
  private var isHeld = false
  /// Intervals of `throttle` that have not passed, by id.
  var throttles: [Value: Throttle]?
  /// Records the jobs that start and end here and below; nil in a store without a history.
  private var log: EffectLog?

  init(root: Void) {
    (parent, type, key, presentation, isRoot) = (nil, "", nil, nil, true)
  }

  private init(in parent: EffectPlace, type: String, key: Value?, _ presentation: Presentation?) {
    self.parent = parent
    self.type = type
    self.key = key
    self.presentation = presentation
    log = parent.log
    isRoot = false
  }

  /// Sets the log for jobs that start or end from now on, here and below.
  func setLog(_ log: EffectLog) {
    self.log = log
    for (_, places) in children { for place in places.values { place.setLog(log) } }
  }

  func add(_ job: Job) {
    if let log { log.began(job) }
    job.nextAtPlace = first
    first?._withUnsafeGuaranteedRef { $0.previousAtPlace = .passUnretained(job) }
    first = .passUnretained(job)
  }

  func remove(_ job: Job) {
    if let log { log.ended(job) }
    let (previous, next) = (job.previousAtPlace, job.nextAtPlace)
    if let previous {
      previous._withUnsafeGuaranteedRef { $0.nextAtPlace = next }
    } else {
      first = next
    }
    next?._withUnsafeGuaranteedRef { $0.previousAtPlace = previous }
    (job.previousAtPlace, job.nextAtPlace) = (nil, nil)
    if first == nil && !isRoot { removeIfEmpty() }
  }

  func removeIfEmpty() {
    guard first == nil && children.isEmpty && throttles == nil && !isHeld, let parent else {
      return
    }
    withExtendedLifetime(self) { parent.remove(type, key, self) }
  }

  private func remove(_ type: String, _ key: Value?, _ child: EffectPlace) {
    guard let index = children.firstIndex(where: { $0.type == type }),
      children[index].places[key] === child
    else { return }
    children[index].places[key] = nil
    if children[index].places.isEmpty { children.remove(at: index) }
    hasChildren = !children.isEmpty
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
      hasChildren = true
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

  /// Cancels all jobs here and below, and ends the intervals of `throttle`.
  func cancelAll() {
    for job in jobs { job.cancel() }
    endThrottles()
  }

  private func endThrottles() {
    for (_, places) in children { for place in places.values { place.endThrottles() } }
    for throttle in (throttles ?? [:]).values { throttle.end() }
  }

  /// The jobs here and below, in the order in which they were started.
  var jobs: [Job] {
    var jobs: [Job] = []
    collect(&jobs)
    return jobs.sorted { $0.number < $1.number }
  }

  private func collect(_ jobs: inout [Job]) {
    var job = first
    while let current = job?.takeUnretainedValue() {
      jobs.append(current)
      job = current.nextAtPlace
    }
    for (_, places) in children { for place in places.values { place.collect(&jobs) } }
  }

  /// The action, as the root gets it, that dismisses the nearest presented child around this place;
  /// nil if nothing presents one.
  var dismissal: Value? {
    guard let parent else { return nil }
    guard let presentation else { return parent.dismissal }
    return presentation.dismissal(type: type, key: key).flatMap { parent.nesting($0) }
  }

  /// An action of this place as the root gets it; nil if it would nest too deep.
  private func nesting(_ action: Value) -> Value? {
    guard let parent else { return action }
    return Value.nesting(action, type: type, id: key).flatMap { parent.nesting($0) }
  }

  /// As in the paths of actions: `todos[3].child`.
  var path: String {
    guard let parent else { return "" }
    let above = parent.path
    let id =
      switch key {
      case .integer(let number)?: "[\(number)]"
      case .string(let text)?: "[\(ActionPath.text(ofID: text))]"
      case let other?: "[\(other)]"
      case nil: ""
      }
    return (above.isEmpty ? type : "\(above).\(type)") + id
  }
}
