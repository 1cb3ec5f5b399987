import LuaBridge

/// What nodes with `task` and `onAppear` have sent when they appeared, over all screens of a store: the first appearance and
/// the last disappearance count.
final class AppearedTasks {
  private struct Task {
    /// How many screens have the node.
    var screens = 0
    var token: TaskToken?
  }

  private var tasks: [Appearances.Item: Task] = [:]
  /// The store's slot in its worker.
  private let slot: Int

  init(slot: Int) { self.slot = slot }

  func take(_ appearances: Appearances, _ engine: Engine) {
    for item in appearances.came {
      tasks[item, default: Task()].screens += 1
      if tasks[item]?.screens == 1 { begin(item, engine) }
    }
    for item in appearances.went {
      guard var task = tasks[item] else { continue }
      task.screens -= 1
      tasks[item] = task.screens == 0 ? nil : task
      if task.screens == 0 { task.token?.cancel() }
    }
  }

  /// Sends the action of a node after the drain.
  private func begin(_ item: Appearances.Item, _ engine: Engine) {
    guard let action = ViewAction.lifted(item.action, to: item.place) else { return }
    let token = TaskToken(engine.link)
    if item.isTask { tasks[item]?.token = token }
    engine.link.submit { [slot] engine in
      engine.run(.action(store: slot, action, transaction: item.transaction, token))
    }
  }
}
