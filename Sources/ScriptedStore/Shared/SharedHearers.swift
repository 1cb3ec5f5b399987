/// The stores of a worker that hear at once of what others do to shared values, because an observer, a listener, an `onChange` or a
/// function that chooses a key waits for it. Other stores take the changes over before their next action, or when somebody reads
/// their state. So a change costs nothing for stores that nobody looks at, however many there are.
///
/// While nothing here hears, other workers do not wake this one.
final class SharedHearers {
  private let values: SharedValues
  private let sharer: SharedValues.Sharer
  /// The stores that hear; nil when it has to be found out again.
  private var known: [StoreCore]? = []
  /// Whether other workers wake this one.
  private var isAwake = false
  /// An effect may wait in `key:values()`.
  private var haveReaders = false

  init(_ link: WorkerLink, _ values: SharedValues) {
    self.values = values
    sharer = SharedValues.Sharer(link)
    values.join(sharer)
  }

  deinit { values.leave(sharer) }

  /// A store has begun or ended to hear.
  func mayDiffer() {
    known = nil
    wake()
  }

  /// An effect reads the values of a key from now on.
  func addReader() {
    haveReaders = true
    wake()
  }

  /// Who calls this looks for changes afterwards. So no change is missed: one that is published later wakes the worker.
  private func wake() {
    guard !isAwake else { return }
    isAwake = true
    values.add(sharer)
  }

  /// The stores that hear.
  ///
  /// - Parameter all: all stores of the worker.
  func cores(among all: @autoclosure () -> [StoreCore]) -> [StoreCore] {
    if let known { return known }
    let cores = all().filter(\.hears)
    known = cores
    if cores.isEmpty, !haveReaders {
      isAwake = false
      values.remove(sharer)
    }
    return cores
  }

  /// Whether somebody hears of changes, other than the stores here.
  var othersHear: Bool { values.isHeard(byMoreThan: isAwake ? 1 : 0) }

  /// Lets the stores of other workers take over what a store here has published.
  func wakeOthers() { values.wakeOthers(than: sharer) }
}
