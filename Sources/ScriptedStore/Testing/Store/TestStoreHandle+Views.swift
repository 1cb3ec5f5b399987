import LuaBridge
import ScriptView

/// What Swift tests see of a store's views, and do there.
extension TestStoreHandle {
  /// Lets the test look at the store's views, if it does not yet.
  package func look(_ environment: Value.Object = [:]) throws(ScriptError) -> Report<Void> {
    try report { store in if store.testView == nil { _ = store.look(environment) } }
  }

  private func view(_ store: TestStoreCore) -> TestView { store.testView ?? store.look([:]) }

  package func find(_ query: ViewQuery) throws(ScriptError) -> ViewItem {
    try perform { try view($0).find(query) }
  }

  package func query(_ query: ViewQuery) throws(ScriptError) -> ViewItem? {
    try perform { try view($0).viewScreen.query(query) }
  }

  package func all(_ query: ViewQuery) throws(ScriptError) -> [ViewItem] {
    try perform { try view($0).viewScreen.all(query) }
  }

  package func scroll(_ list: ViewPath, to row: Int) throws(ScriptError) -> Report<Void> {
    try report { view($0).scroll(list, to: row) }
  }

  package func setEnvironment(
    _ name: String, to value: Value
  ) throws(ScriptError) -> Report<Void> {
    try report { view($0).setEnvironment(name, to: value) }
  }

  /// The tree, and the places whose views have run for the last statement.
  package func shown() throws(ScriptError) -> (tree: Value, evaluated: [String]) {
    try perform { (view($0).tree, view($0).evaluated) }
  }

  /// Does what a person would do. The outcome is nil if that sends nothing.
  package func perform(
    _ gesture: ViewGesture, on item: ViewItem?
  ) throws(ScriptError) -> Report<Outcome?> {
    try report { store in
      let screen = view(store).viewScreen
      do throws(ViewRefusal) {
        let outcome =
          if let item { try screen.perform(gesture, on: item) } else { try screen.perform(gesture) }
        guard case .send(let action, let transaction) = outcome else { return nil }
        return self.outcome(
          store.send(Action(trusted: action), transaction: transaction), of: store)
      } catch {
        return .failure(error.message)
      }
    }
  }
}
