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

/// The nodes with `task` or `onAppear` in the tree of a screen, and which of them have appeared. A node has not appeared while tabs
/// or a disclosure with a binding hide it. Those without a binding hide none, because the program does not know what they show.
struct AppearingNodes {
  private struct Node {
    /// The order in which the nodes came.
    let number: Int
    var path: ViewPath
    /// How many views have the node.
    var views = 0
    var hasAppeared = false
  }

  private var nodes: [Appearances.Item: Node] = [:]
  private var count = 0
  /// Whether any node has not appeared.
  private var areHidden = false

  /// Takes the nodes that came into the tree and that went out of it. In the result, `came` are the nodes that have appeared, and
  /// `went` those that have disappeared.
  ///
  /// O(changes), and O(nodes × depth) where something in the tree may hide them.
  mutating func take(_ changes: Appearances, in tree: Value, mayHide: Bool) -> Appearances {
    for item in changes.came {
      count += 1
      var node = nodes[item] ?? Node(number: count, path: item.treePath)
      node.views += 1
      node.path = item.treePath
      nodes[item] = node
    }
    for item in changes.went { nodes[item]?.views -= 1 }
    var result = Appearances()
    if mayHide || areHidden {
      let ordered = nodes.sorted { $0.value.number < $1.value.number }.map(\.key)
      settle(ordered, mayHide ? ViewLocation(root: tree) : nil, &result)
      areHidden = nodes.contains { !$0.value.hasAppeared }
    } else {
      settle(changes.came + changes.went, nil, &result)
    }
    return result
  }

  /// - Parameter root: that of a tree in which nodes may be hidden; nil if none is.
  private mutating func settle(
    _ items: [Appearances.Item], _ root: ViewLocation?, _ result: inout Appearances
  ) {
    for item in items {
      guard let node = nodes[item] else { continue }
      let appears = node.views > 0 && root?.hides(node.path) != true
      if appears, !node.hasAppeared { result.came.append(item) }
      if !appears, node.hasAppeared { result.went.append(item) }
      nodes[item]?.hasAppeared = appears
      if node.views == 0 { nodes[item] = nil }
    }
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
    /// Where the node is in the tree of the screen. Two nodes that differ in nothing else are the same one.
    let treePath: ViewPath

    static func == (one: Item, other: Item) -> Bool {
      one.place == other.place && one.rows == other.rows && one.path == other.path
        && one.property == other.property && one.action == other.action
        && one.transaction == other.transaction
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(place)
      hasher.combine(rows)
      hasher.combine(path)
      hasher.combine(property)
    }

    var isTask: Bool { property == "task" }
  }

  fileprivate(set) var came: [Item] = []
  fileprivate(set) var went: [Item] = []

  var isEmpty: Bool { came.isEmpty && went.isEmpty }

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
