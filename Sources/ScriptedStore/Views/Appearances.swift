import LuaBridge
import ScriptView

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
    /// The burst because of which the node appeared, and the last action in it.
    let cause: StoreTurn.Cause
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

  var isEmpty: Bool { tasks.isEmpty }

  /// Forgets all nodes, and cancels their tasks. The nodes that are on the screens appear once more.
  func cancelAll() {
    for task in tasks.values { task.token?.cancel() }
    tasks = [:]
  }

  /// Sends the action of a node after the drain. It belongs to the burst that the store is in.
  private func begin(_ item: Appearances.Item, _ core: StoreCore, _ engine: Engine) {
    guard let action = ViewAction.lifted(item.action, to: item.place) else { return }
    let token = TaskToken(engine.link)
    if item.isTask { tasks[item]?.token = token }
    var cause = core.turn.share()
    cause.action = core.number
    let appeared = Appearance(
      action: action, transaction: item.transaction, token: token, cause: cause)
    engine.link.submit { [slot] engine in engine.process(appeared, in: slot) }
  }
}

/// The nodes with `task` or `onAppear` that came or went in one update of a screen.
struct Appearances {
  /// A node that sends an action when it appears.
  struct Item: Hashable {
    /// The path of the place, as `todos[3]`, the rows of data around the node in it, and the node's path.
    let place: String
    let rows: [ViewPath.Row]
    let path: [Int]
    let property: String
    let action: Value
    let transaction: Value?

    var isTask: Bool { property == "task" }
  }

  private(set) var came: [Item] = []
  private(set) var went: [Item] = []

  /// Records that a place has other such nodes than before.
  mutating func change(from old: [Item], to new: [Item]) {
    // A view that runs again has mostly the same ones.
    if old == new { return }
    let (before, after) = (Set(old), Set(new))
    went += old.filter { !after.contains($0) }
    came += new.filter { !before.contains($0) }
  }
}

/// Actions of nodes, as scripts write them.
enum ViewAction {
  /// The action of a node at a place whose path of actions is `place`; nil if it is none.
  static func lifted(_ action: Value, to place: String) -> Action? {
    guard let table = try? ViewLocation.table(of: action), let own = try? Action(table) else {
      return nil
    }
    guard !place.isEmpty else { return own }
    guard let path = try? ActionPath(place) else { return nil }
    return Value.nesting(own.value, in: path.segments.map(\.step)).map { Action(trusted: $0) }
  }
}
