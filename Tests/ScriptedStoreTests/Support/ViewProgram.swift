import Foundation
import LuaBridge
import ScriptView
import ScriptedStore

/// Sends random actions to a feature with a screen, saves its script, moves in time and scrolls. The screen must be the one
/// that is made of nothing, and so must be what a reader makes of the changes. Numbers choose what happens, so that the same
/// numbers do the same.
final class ViewProgram {
  /// What no numbers may lead to.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let folder: URL
  private let source: String
  private let host: ScriptHost
  private let store: Store
  private let history: StoreHistory
  private var observations: [StoreObservation] = []
  private var screens: [Screen] = []
  private var looks: Int64 = 0

  private struct Screen {
    let environment: Value.Object
    let tree: ViewTree
    let changed: ChangedTree
  }

  /// The lists of the screen with windows.
  private static let lists = [ViewPath([.child(1)]), ViewPath([.child(4)])]

  /// - Parameters:
  ///   - script: the file `views.lua`.
  ///   - folder: where copies of it are saved.
  init(script: URL, in folder: URL) throws {
    self.folder = folder
    source = try String(contentsOf: script, encoding: .utf8)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(source.utf8).write(to: folder.appending(path: "views.lua"))
    // Rows raise errors, and rows have one id: both are shown.
    var configuration = ScriptHost.Configuration(onWarning: { _ in }, onError: { _, _ in })
    // On a machine that is busy, a view that waits for a processor would be stopped.
    (configuration.limits.time, configuration.limits.loadTime) = (nil, nil)
    host = try ScriptHost(root: folder.path, configuration: configuration)
    store = try host.store("views")
    history = store.record(limit: 200)
    for environment: Value.Object in [[:], ["width": "compact"]] {
      let tree = store.view(environment: environment)
      let changed = ChangedTree(tree.value)
      observations.append(tree.observe { changed.apply($0, to: $1) })
      screens.append(Screen(environment: environment, tree: tree, changed: changed))
    }
  }

  /// Runs a program.
  ///
  /// - Parameter number: chooses a number below the one that it gets.
  func run(steps: Int, number: (Int) -> Int) throws {
    for step in 1...steps {
      let done = try self.step(number)
      for screen in screens { try check(screen, "step \(step), \(done)") }
      if step % 50 == 0 {
        let (changed, whole) = (screens[0].changed.tree ?? .null, screens[0].tree.value)
        guard TextDrawing.draw(changed) == TextDrawing.draw(whole),
          HTMLDrawing.draw(changed) == HTMLDrawing.draw(whole)
        else { throw Failure(description: "step \(step): the drawings differ") }
      }
    }
  }

  private func check(_ screen: Screen, _ done: String) throws {
    let value = screen.tree.value
    if let failure = screen.changed.failure { throw Failure(description: "\(done): \(failure)") }
    guard screen.changed.tree == value else {
      throw Failure(description: "\(done): the changes lead elsewhere")
    }
    let anew = madeAnew(screen)
    guard withoutPast(value) == anew else {
      let changes = ViewDifference.changes(from: anew, to: withoutPast(value))
      throw Failure(description: "\(done): made of nothing it is another screen: \(changes)")
    }
  }

  /// The screen for one who looks for the first time, at the same windows.
  private func madeAnew(_ screen: Screen) -> Value {
    looks += 1
    // Views do not read it, but nobody else has this environment.
    var environment = screen.environment
    environment["look"] = .integer(looks)
    let tree = store.view(environment: environment)
    for list in ViewProgram.lists {
      guard let window = ViewScreen(screen.tree.value).location(at: list)?.node["window"],
        let first = window["first"].int, let count = window["count"].int
      else { continue }
      tree.show(list, first: first, count: count)
    }
    return tree.value
  }

  // MARK: Steps

  /// Returns what was done.
  private func step(_ number: (Int) -> Int) throws -> String {
    switch number(60) {
    case 0:
      let steps = number(5)
      try? history.step(by: -steps)
      return "back by \(steps)"
    case 1, 2:
      let list = ViewProgram.lists[number(ViewProgram.lists.count)]
      screens[1].tree.show(list, first: 1 + number(220), count: 20)
      return "scrolled"
    case 3 where number(4) == 0:
      // A script that looks the same, and one that does not.
      let title = number(2) == 0 ? "Editor" : "The editor"
      let saved = source.replacingOccurrences(
        of: "ui.heading(\"Editor\")", with: "ui.heading(\"\(title)\")")
      try Data(saved.utf8).write(to: folder.appending(path: "views.lua"))
      _ = try host.reload()
      return "reloaded"
    default:
      let (path, payload) = action(number)
      try store.send(path, payload)
      return path
    }
  }

  private func action(_ number: (Int) -> Int) -> (path: String, payload: Value?) {
    let value = Value.integer(Int64(number(256) * 39 + number(39)))
    switch number(29) {
    case 0...4: return ("add", ["value": value])
    case 5: return ("add", ["value": value, "title": ["bad", "none", "same"][number(3)]])
    case 6: return ("double", nil)
    case 7, 8: return ("remove", ["value": value])
    case 9: return ("move", ["value": value])
    case 10: return ("swap", ["value": value])
    case 11: return ("sort", nil)
    case 12: return ("clear", nil)
    case 13: return ("filter", ["value": value])
    case 14, 15: return ("select", ["value": value])
    case 16: return ("order", ["value": value])
    case 17: return ("data", ["value": value])
    case 18: return ("unit", ["value": value])
    case 19: return ("open", ["value": value])
    case 20: return ("close", nil)
    case 21: return ("push", ["value": value])
    case 22: return ("pop", nil)
    case 23 where number(8) == 0: return ("many", nil)
    default: return rowAction(value, number)
    }
  }

  private func rowAction(
    _ value: Value, _ number: (Int) -> Int
  ) -> (path: String, payload: Value?) {
    guard let rows = store.state["rows"].array, !rows.isEmpty else {
      return ("add", ["value": value])
    }
    let id = rows[number(rows.count)]["id"]
    let names = ["toggle", "toggle", "tag", "untag", "binding.title", "note.binding.text"]
    let name = names[number(names.count)]
    let isTyped = ["tag", "binding.title", "note.binding.text"].contains(name)
    return ("rows[\(id)].\(name)", isTyped ? .string("t\(value)") : nil)
  }
}
