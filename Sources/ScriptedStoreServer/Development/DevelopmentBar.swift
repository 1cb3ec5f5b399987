#if Server
import ScriptedStore
import Synchronization

/// What one bar has been sent of the history of its store, and what it asks for.
///
/// But for its beginning, it reads the history on the store's queue, because the effects in flight are asked of the store.
final class DevelopmentBar: Sendable {
  let served: ServedStore
  let history: StoreHistory
  private let testSource: @Sendable (Recording) throws -> String
  private let state: Mutex<State>
  private let inspector = Mutex(Inspector())

  private struct State {
    /// The entries from this number on are new or different.
    var firstNew: Int?
    var summary: Value = .null
    /// The effects that were sent, without their times.
    var effects: [Value]?
    var observation: StoreObservation?
  }

  /// The most entries that are sent at once. The page lists as many (`actions.js`): when an earlier one
  /// changes, all that it lists from there on are sent again.
  private static let mostEntries = 200
  private static let firstEntries = 50

  init(
    _ served: ServedStore, _ history: StoreHistory,
    testSource: @escaping @Sendable (Recording) throws -> String
  ) {
    self.served = served
    self.history = history
    self.testSource = testSource
    let numbers = history.numbers
    let first = max(numbers.lowerBound, numbers.upperBound - DevelopmentBar.firstEntries)
    state = Mutex(State(firstNew: first))
  }

  /// Begins to hear of actions.
  func begin() {
    served.async { [self] in
      let observation = served.store.onAction { [weak self] in self?.changed(from: $0.number) }
      state.withLock { $0.observation = observation }
    }
  }

  /// Ends it, after what ``begin()`` has put into the store's queue.
  func end() {
    served.async { [self] in
      state.withLock { $0.observation }?.cancel()
      inspector.withLock { $0.show(nil) }
    }
  }

  /// An action was reduced, or the entries from a number on were reduced again.
  private func changed(from number: Int) {
    state.withLock { $0.firstNew = min($0.firstNew ?? number, number) }
  }

  /// What the bar has not been sent yet; nil for nothing.
  ///
  /// - Parameter views: what the page of the bar shows.
  func news(_ views: ViewTree?) -> Value? {
    var object: Value.Object = [:]
    let numbers = history.numbers
    let summary = summary(numbers)
    let (isNew, first) = state.withLock { state in
      defer { (state.summary, state.firstNew) = (summary, nil) }
      return (state.summary != summary, state.firstNew)
    }
    if isNew { object["history"] = summary }
    if let first, first < numbers.upperBound {
      let least = max(first, numbers.upperBound - DevelopmentBar.mostEntries, numbers.lowerBound)
      object["entries"] = entries(least...max(least, numbers.upperBound - 1))
    }
    let effects = served.store.effects.map(\.developmentValue)
    let timeless = effects.map(DevelopmentBar.withoutTime)
    let areNew = state.withLock { state in
      defer { state.effects = timeless }
      return state.effects != timeless
    }
    if areNew { object["effects"] = .array(Value.List(effects)) }
    if let (key, value) = inspector.withLock({ $0.news(served.store, history, views) }) {
      object[key] = value
    }
    return object.isEmpty ? nil : .object(object)
  }

  private func summary(_ numbers: Range<Int>) -> Value {
    var summary: Value.Object = [
      "first": Value(numbers.lowerBound), "last": Value(numbers.upperBound - 1),
      "at": Value(history.position),
    ]
    if history.isLocked { summary["locked"] = 1 }
    return .object(summary)
  }

  private func entries(_ numbers: ClosedRange<Int>) -> Value {
    var before = history[numbers.lowerBound - 1]?.state ?? history.initialState
    var values: [Value] = []
    for entry in history.entries(numbers) {
      values.append(DevelopmentEntry.value(entry, before: before))
      before = entry.state
    }
    return .array(Value.List(values))
  }

  private static func withoutTime(_ effect: Value) -> Value {
    var object = effect.object ?? [:]
    object["seconds"] = nil
    return .object(object)
  }

  // MARK: Commands

  /// Does what the bar asks for. Returns what it is answered; nil for nothing but news.
  func perform(_ command: Value) -> Value? {
    do {
      switch command["dev"].string {
      case "go": try history.go(to: command["to"].int ?? -1)
      case "step": try history.step(by: command["by"].int ?? 0)
      case "lock": history.isLocked = command["locked"].bool == true
      case "skip":
        let number = command["number"].int ?? -1
        try history.skip(number, command["skipped"].bool == true)
        changed(from: number)
      case "panel": inspector.withLock { $0.show(command["name"].string) }
      case "unfold":
        try inspector.withLock { inspector throws(HistoryError) in
          try inspector.unfold(command["path"].string ?? "")
        }
      case "fold": inspector.withLock { $0.fold(command["path"].string ?? "") }
      case "set": return set(command["path"].string ?? "", command["value"].string ?? "")
      case "entries":
        let first = max(command["from"].int ?? 1, history.numbers.lowerBound)
        let last = min(command["to"].int ?? 0, history.numbers.upperBound - 1)
        guard first <= last else { return ["entries": []] }
        return ["entries": entries(first...min(last, first + DevelopmentBar.mostEntries - 1))]
      case "export":
        let recording = try Recording(jsonLines: history.export())
        let name =
          recording.feature.split { $0 == "." || $0 == "/" }.last { $0 != "lua" } ?? "feature"
        return [
          "test": [
            "name": .string("\(name)_test.lua"), "source": .string(try testSource(recording)),
          ]
        ]
      default: break
      }
      return nil
    } catch {
      return ["refused": .string("\(error)")]
    }
  }

  /// Puts a value at a place of the state. The answer is for the field in which it was typed.
  private func set(_ path: String, _ text: String) -> Value {
    do {
      try history.set(text, at: path)
      return ["set": ["path": .string(path)]]
    } catch {
      return ["set": ["path": .string(path), "error": .string(error.message)]]
    }
  }
}
#endif
