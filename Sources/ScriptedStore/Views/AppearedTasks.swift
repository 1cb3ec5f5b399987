import LuaBridge

/// What nodes with `task` and `onAppear` have sent when they appeared, over all screens of a store: the first appearance and
/// the last disappearance count.
final class AppearedTasks {
  private struct Task {
    /// How many screens have the node.
    var screens = 0
    var token: TaskToken?
  }

  /// The action of a node that has appeared, until it is reduced.
  struct Appearance: Sendable {
    let action: Action
    let transaction: Value?
    let token: TaskToken
    /// The burst because of which the node appeared, and the number of the last action in it.
    let burst: Burst
    let number: Int
  }

  private var tasks: [Appearances.Item: Task] = [:]
  /// The store's slot in its worker.
  private let slot: Int

  init(slot: Int) { self.slot = slot }

  func take(_ appearances: Appearances, _ core: StoreCore, _ engine: Engine) {
    for item in appearances.came {
      tasks[item, default: Task()].screens += 1
      if tasks[item]?.screens == 1 { begin(item, core, engine) }
    }
    for item in appearances.went {
      guard var task = tasks[item] else { continue }
      task.screens -= 1
      tasks[item] = task.screens == 0 ? nil : task
      if task.screens == 0 { task.token?.cancel() }
    }
  }

  /// Sends the action of a node after the drain. It belongs to the burst that the store is in.
  private func begin(_ item: Appearances.Item, _ core: StoreCore, _ engine: Engine) {
    guard let action = ViewAction.lifted(item.action, to: item.place) else { return }
    let token = TaskToken(engine.link)
    if item.isTask { tasks[item]?.token = token }
    let appeared = Appearance(
      action: action, transaction: item.transaction, token: token, burst: core.burst.share(),
      number: core.number)
    engine.link.submit { [slot] engine in engine.process(appeared, in: slot) }
  }
}
