import ScriptView
import ScriptedStore
import ScriptedStoreFiles
import ScriptedStoreTerminal

/// The screen of a store, for a terminal.
final class StoreScreen: ScreenSource {
  private let store: Store
  private let files: (any FileExchange)?
  /// Whether the tree has changed, set by the threads of the store.
  private let change = WaitFlag()
  private var environment: Value.Object
  private var views: ViewTree
  private var observation: StoreObservation
  /// Set when the store has taken all gestures so far.
  private var answer: WaitFlag?

  /// How long a key waits for the store, in seconds. A store that is busy answers later.
  private static let patience = 0.1

  /// - Parameter files: where the files go that the person chooses; nil if they cannot.
  init(_ store: Store, environment: Value.Object, files: (any FileExchange)?) {
    self.store = store
    self.files = files
    self.environment = environment
    views = store.view(environment: environment)
    observation = views.observe { [change] _, _ in change.set() }
  }

  /// Shows the screen for another environment, as after a change of the width. Nodes that stay on the
  /// screen do not appear anew.
  func look(with environment: Value.Object) {
    guard environment != self.environment else { return }
    self.environment = environment
    views = store.view(environment: environment)
    observation = views.observe { [change] _, _ in change.set() }
    change.set()
  }

  /// Whether the tree has changed, or a late answer has come, since ``takeChange()``.
  var hasChanged: Bool { change.isSet || answer?.isSet == true }

  /// Clears ``hasChanged``. Read the tree only after this call.
  func takeChange() {
    change.clear()
    if answer?.isSet == true { answer = nil }
  }

  var tree: Value { views.value }
  var isSettled: Bool { answer?.isSet ?? true }

  func perform(
    _ gesture: ViewGesture, at path: ViewPath, in shown: Value
  ) throws(ViewRefusal) -> ViewOutcome {
    let outcome = try ViewScreen(shown).perform(gesture, at: path)
    guard case .send(let value, let transaction) = outcome, let action = try? Action(value) else {
      return outcome
    }
    if let transaction {
      store.send(action, transaction: transaction)
    } else {
      store.send(action)
    }
    let answer = WaitFlag { [store] in await store.untilObserved() }
    self.answer = answer
    answer.wait(atMost: Self.patience)
    return outcome
  }

  func choose(file path: String, at node: ViewPath, in shown: Value) throws(ViewRefusal) {
    guard let files else {
      throw ViewRefusal(
        .impossible, "there is no folder for files; --files <folder> gives it one")
    }
    var file = ViewFile(
      name: String(path.split(separator: "/").last ?? ""), type: "", size: 0, path: path)
    file.type = MediaType.of(file.name) ?? ""
    do {
      let bytes = try WholeFile.read(Paths.withHome(path), atMost: files.limit)
      file.size = bytes.count
      // The element refuses what it does not take before it is kept.
      _ = try ViewScreen(shown).perform(.enter(file.value), at: node)
      let name = file.name
      file.path = try Awaited { try await files.keep(bytes, named: name) }.wait()
    } catch let refusal as ViewRefusal {
      throw refusal
    } catch {
      throw ViewRefusal(.value, "\(path): \(error)")
    }
    do throws(ViewRefusal) {
      _ = try perform(.enter(file.value), at: node, in: shown)
    } catch {
      let kept = file.path
      try? Awaited { try await files.remove(kept) }.wait()
      throw error
    }
  }

  func show(_ list: ViewPath, first: Int, count: Int) {
    views.show(list, first: first, count: count)
  }
}
