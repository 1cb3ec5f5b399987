import DequeModule
import LuaBridge

/// What a store is doing now: it processes one action from outside, or one turn of an effect, an alarm or a screen, together
/// with all that follows at once. The core and the effects of the store share this object.
///
/// ```
///   an action from outside ──────────┐                ┌── reduce ◀──┐
///   goOn(after:), of an effect ──────┴──▶ the turn ───┤             ├──▶ end()
///                                                     └──▶ queue ───┘
/// ```
///
/// 1. One action is reduced at a time (``isReducing``). One that an effect sends meanwhile waits in the queue.
/// 2. The actions that effects send in the turn belong to one burst. It is a ``Burst`` object only if an effect is to share
///    it, or if the name of an action must be recorded; until then `count` stands for it. ``end()`` leaves it.
/// 3. The jobs that start in the turn belong to the tree of ``rootJob``. It is never a job inside of a group. If it is nil, the
///    first job becomes it.
/// 4. Observers hear of the turn once, with its last ``transaction``.
///
/// What runs in the worker as a whole is known by the ``EffectRunner`` (the body that runs), the ``Engine`` (the store whose
/// reducers run) and its ``LocalsInForce``.
///
/// It is a class, because asking a struct in the store whether it is open takes a dynamic exclusivity check after each action:
/// 30 ns of a send of 450.
final class StoreTurn {
  /// What an effect follows from that goes on in a later turn.
  struct Cause: Sendable {
    /// nil if it begins a burst.
    var burst: Burst?
    /// The number of the action.
    var action = 0
  }

  /// Whether an action is being reduced, or the queue is being drained.
  var isReducing = false
  /// The actions that effects have sent and that are not reduced yet, first in, first out.
  private var queue: Deque<Message> = []
  /// Whether there are such actions. Asking the queue takes a dynamic exclusivity check.
  private(set) var hasQueue = false
  /// The transaction of the turn's last action with one, for the observers.
  var transaction: Value?
  /// The number of the action whose effects are being started or run.
  var action = 0
  /// The errors that actions from outside have raised since a gesture on a screen began; nil while none is performed.
  var inputErrors: [ScriptError]?

  /// The number of actions that effects may send in one burst.
  let mostActions: Int
  /// Whether anything has happened since ``end()``.
  private(set) var isOpen = false
  private var burst: Burst?
  /// The number of actions that were sent before `burst` was made.
  private var count = 0

  /// The root job of what is being processed; nil if that has started no job yet.
  var rootJob: Job?
  /// The root job of the last action from outside, while its effects have their first turn.
  private(set) var lastRootJob: Job?

  init(mostActions: Int) { self.mostActions = mostActions }

  // MARK: Queue

  func append(_ message: Message) {
    queue.append(message)
    hasQueue = true
  }

  /// Takes the first action out of the queue; nil if it is empty.
  func takeNext() -> Message? {
    let next = queue.popFirst()
    if next == nil { hasQueue = false }
    return next
  }

  func dropQueue() {
    queue.removeAll()
    hasQueue = false
  }

  func takeTransaction() -> Value? {
    defer { transaction = nil }
    return transaction
  }

  // MARK: Trees of jobs

  /// Calls `body`. What it starts belongs to the tree of `rootJob`, or to a new tree if that is nil.
  @inline(__always)
  func asPart(of rootJob: Job?, _ body: () -> Void) {
    let outer = self.rootJob
    self.rootJob = rootJob
    body()
    // `body` may have put a root group around it.
    self.rootJob = outer?.rootJob
  }

  /// Called when an action from outside is reduced: the next one begins a tree of its own.
  func endAction() {
    lastRootJob = rootJob
    rootJob = nil
  }

  /// Returns the root job of the last action from outside, and forgets it.
  func takeRootJob() -> Job? {
    guard let last = lastRootJob else { return nil }
    lastRootJob = nil
    return last
  }

  /// Called when `group` was put around a root job.
  func replace(_ job: Job, by group: RootGroup) {
    if rootJob === job { rootJob = group }
    if lastRootJob === job { lastRootJob = group }
  }

  // MARK: Burst

  /// Enters the burst of an effect that goes on; a new one if it begins one.
  @inline(__always)
  func goOn(after cause: Cause) {
    action = cause.action
    guard let burst = cause.burst else { return }
    isOpen = true
    self.burst = burst
  }

  /// Leaves the burst. What happens afterwards belongs to another one.
  @inline(__always)
  func end() {
    if isOpen { close() }
  }

  private func close() {
    isOpen = false
    if burst != nil { burst = nil }
    count = 0
  }

  /// What an effect that starts now follows from.
  func share() -> Cause { Cause(burst: sharedBurst(), action: action) }

  /// The burst as an object, made now if there was none.
  private func sharedBurst() -> Burst {
    isOpen = true
    if let burst { return burst }
    let new = Burst(count: count)
    burst = new
    return new
  }

  /// The burst for an effect that goes on later without a wait; nil if nothing has happened in it.
  func rest() -> Burst? { count > 0 ? sharedBurst() : burst }

  /// Counts an action that an effect sends. Returns false if it is one too many.
  @inline(__always)
  func add(_ message: Message) -> Bool {
    isOpen = true
    let number: Int
    if let burst {
      burst.count += 1
      number = burst.count
    } else {
      count += 1
      number = count
    }
    if number > mostActions { return false }
    if Burst.notes(number, of: mostActions) || burst?.hasNames == true {
      sharedBurst().note(message.action, from: action)
    }
    return true
  }

  /// Counts the action of a node that has appeared. Returns false if it is one too many.
  func add(appearance message: Message) -> Bool {
    sharedBurst().hasAppearances = true
    return add(message)
  }

  /// Records the name of an action that an effect sent and that is reduced next, if its number
  /// requires it.
  @inline(__always)
  func note(_ action: Action, number: Int) {
    if Burst.notes(burst?.count ?? count, of: mostActions) {
      sharedBurst().note(action, number: number)
    }
  }

  /// The error for an action that is one too many.
  func refuse(_ message: Message) -> ScriptError {
    sharedBurst().refusal(of: message, from: action, most: mostActions)
  }

  /// An error with the cause that the burst knows for it.
  func explained(_ error: ScriptError) -> ScriptError { burst?.explained(error) ?? error }

  /// The warning about a refused action that no running body sent; nil except for the first one of
  /// the burst.
  ///
  /// - Parameter site: that of the view whose node sent the action; nil for an effect.
  func warning(of message: Message, from site: ViewSite? = nil) -> RuntimeWarning? {
    let burst = sharedBurst()
    guard !burst.isReported else { return nil }
    burst.isReported = true
    let error = refuse(message)
    let sender =
      if let site {
        "the view of \(site.name)"
      } else {
        "an effect\(message.sender?.feature.map { " of \($0)" } ?? "")"
      }
    return RuntimeWarning(
      kind: .effectError, message: "\(sender) failed: \(error)",
      origin: site?.origin ?? message.sender?.origin ?? "?", action: message.action.path)
  }
}
