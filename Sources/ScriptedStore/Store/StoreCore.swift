import LuaBridge
import Synchronization

/// The state of a store as everybody may read it.
final class SnapshotBox: Sendable {
  /// Owned (+1).
  private let slot = Mutex(Slot.null)

  deinit { slot.withLock { $0.release() } }

  var current: Value {
    let slot = slot.withLock { $0.retained() }
    return Value(owning: slot)
  }

  /// Takes a reference of its own (+0).
  @inline(__always)
  func publish(_ new: Slot) {
    new.retain()
    let old = slot.withLock { slot in
      defer { slot = new }
      return slot
    }
    old.release()
  }
}

/// A store inside its worker: the current state, the queue of what effects sent, and who listens.
final class StoreCore {
  private let domain: Domain
  /// The committed state (+1).
  private var root: Slot
  private let indexes = ElementIndexes()
  private let box: SnapshotBox
  private let inspects: Bool
  private var number = 0
  /// Actions that effects sent, first in first out.
  private var queue: [Action] = []
  var observers: ObserverTree?
  private var recorders: [(id: UInt64, handler: @Sendable (ActionRecord) -> Void)] = []
  /// Flags are read without asking who else is at the arrays.
  private var hasQueue = false
  private var hasRecorders = false

  init(domain: Domain, state: Value, box: SnapshotBox) {
    self.domain = domain
    root = state.ownedSlot()
    self.box = box
    inspects = domain.root.inspects
    box.publish(root)
  }

  deinit { root.release() }

  /// Looks at the initial state.
  func begin(_ engine: Engine) {
    guard inspects else { return }
    engine.context.begin(.absent, indexes)
    domain.root.inspect(engine.context, old: .absent, new: root)
    engine.report(engine.context.takeWarnings())
  }

  /// The value of a place now, null if it is not there.
  func value(at place: Place) -> Value {
    var hints = place.noHints
    return Value(borrowing: place.look(at: root, hints: &hints))
  }

  func addRecorder(_ id: UInt64, _ handler: @escaping @Sendable (ActionRecord) -> Void) {
    recorders.append((id, handler))
    hasRecorders = true
  }

  func removeRecorder(_ id: UInt64) {
    recorders.removeAll { $0.id == id }
    hasRecorders = !recorders.isEmpty
  }

  /// Reduces an action and all that its effects send; then those who watch a place that changed hear of it,
  /// once.
  @inline(__always)
  func process(_ action: borrowing Action, _ engine: Engine) {
    guard let observers else {
      var changed = reduce(action, .input, engine)
      if hasQueue { changed = drain(engine) || changed }
      if changed { box.publish(root) }
      return
    }
    let before = root.retained()
    defer { before.release() }
    reduce(action, .input, engine)
    if hasQueue { drain(engine) }
    guard !root.isIdentical(to: before) else { return }
    box.publish(root)
    observers.notify(from: before, to: root, engine)
  }

  /// Reduces what effects sent; whether that changed the state.
  @discardableResult
  private func drain(_ engine: Engine) -> Bool {
    var next = 0
    var changed = false
    while next < queue.count {
      changed = reduce(queue[next], .effect, engine) || changed
      next += 1
      // Forget what is done once it is most of the queue: O(1) an action.
      if next >= 1024 && next * 2 >= queue.count {
        queue.removeFirst(next)
        next = 0
      }
    }
    queue.removeAll(keepingCapacity: queue.capacity <= 1024)
    hasQueue = false
    return changed
  }

  /// Reduces one action; whether that changed the state.
  @discardableResult
  @inline(__always)
  private func reduce(
    _ action: borrowing Action, _ source: ActionRecord.Source, _ engine: Engine
  ) -> Bool {
    let context = engine.context
    let arena = context.arena
    context.begin(action.slot, indexes)
    number += 1
    var failure: ScriptError?
    var new = Slot.absent
    arena.pointee.begin(root)
    do throws(ScriptError) {
      let effect = try domain.reduce(context, 0, action.slot)
      new = try commit(arena)
      if !effect.isNone { enqueue(effect) }
    } catch {
      failure = error
      failure?.feature = context.current?.takeUnretainedValue().feature
    }
    arena.pointee.reset()
    return finish(new, failure, action, source, engine)
  }

  private func enqueue(_ effect: Effect) {
    effect.forEachAction { queue.append($0) }
    hasQueue = !queue.isEmpty
  }

  @inline(__always)
  private func commit(_ arena: UnsafeMutablePointer<DraftArena>) throws(ScriptError) -> Slot {
    do throws(DraftError) {
      return try arena.pointee.commit()
    } catch {
      throw ScriptError(error.message)
    }
  }

  /// Takes over the new state (+1), which is absent after a failure.
  @inline(__always)
  private func finish(
    _ new: Slot, _ failure: ScriptError?, _ action: borrowing Action,
    _ source: ActionRecord.Source, _ engine: Engine
  ) -> Bool {
    let old = root
    let changed = !new.isAbsent && !new.isIdentical(to: old)
    if !new.isAbsent {
      root = new
    } else {
      old.retain()
    }
    if changed && inspects { domain.root.inspect(engine.context, old: old, new: new) }
    let warnings = engine.context.takeWarnings()
    if failure != nil || !warnings.isEmpty || hasRecorders {
      report(old, failure, warnings, action, source, engine)
    }
    old.release()
    return changed
  }

  private func report(
    _ old: Slot, _ failure: ScriptError?, _ warnings: [RuntimeWarning], _ action: borrowing Action,
    _ source: ActionRecord.Source, _ engine: Engine
  ) {
    let action = copy action
    engine.report(warnings)
    if let failure { engine.report(failure, action) }
    guard !recorders.isEmpty else { return }
    let record = ActionRecord(
      number: number, source: source, action: action, before: Value(borrowing: old),
      after: Value(borrowing: root), warnings: warnings, error: failure)
    for (_, handler) in recorders { engine.deliver { handler(record) } }
  }
}
