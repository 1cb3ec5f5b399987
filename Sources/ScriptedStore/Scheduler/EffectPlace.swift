import LuaBridge

/// A node of the tree of states that effects belong to: a feature's own, a child's, an element's. There is one as
/// long as effects of it, or of one below, are in flight.
final class EffectPlace {
  /// nil at the root. The parent lets go of a place that is empty, which ends the cycle.
  let parent: EffectPlace?
  /// What leads here from there.
  let type: String
  let key: Value?
  /// How its child can be let go of.
  let presentation: Presentation?
  private let isRoot: Bool
  private var first: Unmanaged<Job>?
  /// By the type of their actions.
  private var children: [(type: String, places: [Value?: EffectPlace])] = []
  /// A flag is read without asking who else is at the array.
  private(set) var hasChildren = false
  /// Those whose effects that have not started have ids.
  var queues: [Sequence] = []
  /// While something is being started here it stays, even if it is empty.
  private var isHeld = false
  /// Intervals of `throttle` that have not passed, by id.
  var throttles: [Value: Throttle]?
  /// Hears what starts and ends here and below, in a store with a history.
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

  /// Tells of what starts and ends from now on, here and below.
  func tell(_ log: EffectLog) {
    self.log = log
    for (_, places) in children { for place in places.values { place.tell(log) } }
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

  /// Starts something here.
  @inline(__always)
  func hold(_ start: () -> Void) {
    let outer = isHeld
    isHeld = true
    start()
    isHeld = outer
    removeIfEmpty()
  }

  func makeChild(
    _ type: String, _ key: Value?, _ presentation: Presentation? = nil
  ) -> EffectPlace {
    if let known = child(type, key) { return known }
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

  /// The children of one type.
  func places(_ type: String) -> [Value?: EffectPlace] {
    children.first { $0.type == type }?.places ?? [:]
  }

  func hasPlaces(_ type: String) -> Bool { children.contains { $0.type == type } }

  /// Cancels all that is in flight here and below.
  func cancelAll() {
    for job in jobs { job.cancel() }
    endThrottles()
  }

  private func endThrottles() {
    for (_, places) in children { for place in places.values { place.endThrottles() } }
    for throttle in (throttles ?? [:]).values { throttle.end() }
  }

  /// What is in flight here and below, in the order in which it was started.
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

  /// The action, as the root gets it, that lets go of the nearest child around here that can be; nil if none can.
  var dismissal: Value? {
    guard let parent else { return nil }
    guard let presentation else { return parent.dismissal }
    return presentation.dismissal(type: type, key: key).flatMap { parent.nesting($0) }
  }

  /// An action of this place's as the root gets it; nil if that nests too deep.
  private func nesting(_ action: Value) -> Value? {
    guard let parent else { return action }
    return Value.nesting(action, type: type, id: key).flatMap { parent.nesting($0) }
  }

  /// As actions have it: `todos[3].child`.
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
