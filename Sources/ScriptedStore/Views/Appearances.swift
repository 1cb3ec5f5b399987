import LuaBridge
import ScriptView

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

  var isEmpty: Bool { came.isEmpty && went.isEmpty }

  /// Records that a place has other such nodes than before.
  mutating func change(from old: [Item], to new: [Item]) {
    went += old.filter { !new.contains($0) }
    came += new.filter { !old.contains($0) }
  }
}
