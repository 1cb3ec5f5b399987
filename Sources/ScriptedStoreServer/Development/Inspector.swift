#if Server
import ScriptValue
import ScriptedStore

/// What a bar shows of its store beside the history: the state as a tree, the dependencies that were called, or the views that
/// ran. It makes only what is open, and sends only what is new.
///
/// It is used on the store's queue.
struct Inspector {
  enum Panel: String {
    case state, calls, views
  }

  /// The panel that is open; nil for none of these.
  private var panel: Panel?
  /// How many members are shown of each value of the state that is open, by its path. The state itself is open.
  private var open = ["": Inspector.membersAtOnce]
  /// What was sent last, by the path of a value, or by the name of a panel.
  private var sent: [String: Value] = [:]
  /// The state that was sent last, and the number of the entry.
  private var shown: (state: Value, number: Int)?
  /// The views that are recorded, by the number of their tree.
  private var recording: (id: UInt64, observation: StoreObservation)?

  /// The number of members of a value that are shown at first, and that each request adds.
  static let membersAtOnce = 100
  /// The most members after those that are shown because they have changed.
  private static let mostChanged = 20
  private static let mostOpen = 200
  private static let mostCalls = 100
  private static let mostRuns = 100
  /// Characters of a preview, and of a text that can be edited.
  private static let previewWidth = 160
  private static let mostEditable = 2000

  // MARK: Commands

  /// Shows a panel, and sends all of it again. Another name closes the one that is open.
  mutating func show(_ name: String?) {
    panel = name.flatMap(Panel.init)
    sent = [:]
    shown = nil
    if panel != .views { stopRecording() }
  }

  /// Shows the members of a value, or more of them.
  mutating func unfold(_ path: String) throws(HistoryError) {
    guard open[path] != nil || open.count < Inspector.mostOpen else {
      throw HistoryError("\(Inspector.mostOpen) values are open; close one first")
    }
    open[path, default: 0] += Inspector.membersAtOnce
    shown = nil
  }

  mutating func fold(_ path: String) {
    open[path] = nil
    sent[path] = nil
  }

  private mutating func stopRecording() {
    recording?.observation.cancel()
    recording = nil
  }

  // MARK: News

  /// What was not sent yet; nil for nothing.
  ///
  /// - Parameter views: what the page of the bar shows.
  mutating func news(_ store: Store, _ history: StoreHistory, _ views: ViewTree?)
    -> (key: String, value: Value)?
  {
    switch panel {
    case nil: return nil
    case .state: return stateNews(store, history).map { ("state", $0) }
    case .calls: return new(calls(history), as: "calls")
    case .views: return new(runs(history, views), as: "views")
    }
  }

  private mutating func new(_ value: Value, as key: String) -> (key: String, value: Value)? {
    guard sent[key] != value else { return nil }
    sent[key] = value
    return (key, value)
  }

  private func calls(_ history: StoreHistory) -> Value {
    let number = history.position
    let all = history.calls(of: number)
    let calls = all.suffix(Inspector.mostCalls).map { call -> Value in
      var object: Value.Object = [
        "name": .string(call.name), "caller": .string(call.caller.rawValue),
      ]
      object["answer"] = call.answer.map { .string($0.text(width: Inspector.previewWidth)) }
      if call.answer?.isError == true { object["raised"] = 1 }
      if call.isStackID { object["stack"] = 1 }
      if call.isStream { object["stream"] = 1 }
      return .object(object)
    }
    return [
      "number": Value(number), "action": .string(history[number]?.action.path ?? ""),
      "count": Value(all.count), "calls": .array(Value.List(calls)),
    ]
  }

  private mutating func runs(_ history: StoreHistory, _ views: ViewTree?) -> Value {
    if let views, recording?.id != views.id {
      stopRecording()
      recording = (views.id, views.recordRuns())
    }
    let number = history.position
    var object: Value.Object = ["number": Value(number)]
    if let report = views?.lastRuns {
      let microseconds = report.runs.map { Int($0.duration / .microseconds(1)) }
      object["action"] = Value(report.action)
      object["count"] = Value(report.runs.count)
      object["time"] = Value(microseconds.reduce(0, +))
      object["runs"] = .array(
        Value.List(
          zip(report.runs, microseconds).prefix(Inspector.mostRuns)
            .map { [.string($0.place), Value($1)] }))
    }
    return .object(object)
  }

  // MARK: The state

  private mutating func stateNews(_ store: Store, _ history: StoreHistory) -> Value? {
    let (state, number) = (store.state, history.position)
    if let shown, shown.number == number, shown.state.isIdentical(to: state) { return nil }
    shown = (state, number)
    let changes = history.changes(of: number)
    var lists: [Value] = []
    for (text, count) in open.sorted(by: { $0.key < $1.key }) {
      let list = Inspector.list(text, count, of: state, changes)
      guard sent[text] != list else { continue }
      sent[text] = list
      lists.append([.string(text), list])
    }
    guard !lists.isEmpty else { return nil }
    return ["number": Value(number), "lists": .array(Value.List(lists))]
  }

  /// The members of a value that are shown; null if the value is gone or has none.
  private static func list(
    _ text: String, _ count: Int, of state: Value, _ changes: ValueChanges
  ) -> Value {
    guard let path = try? ValuePath(lua: text), let value = state.get(path), value.memberCount > 0
    else { return .null }
    let changes = changes[path]
    var members = value.members(count)
    if members.count < value.memberCount {
      let shown = Set(members.map(\.component))
      let others = changes.components(in: value).lazy.filter { !shown.contains($0) }
      for component in others.prefix(mostChanged) {
        members.append((component, value.get(ValuePath([component])) ?? .null))
      }
    }
    let values = members.map { component, value in
      member(path.appending(component), component, value, changes[component])
    }
    return [
      "count": Value(value.memberCount), "shown": Value(min(count, value.memberCount)),
      "members": .array(Value.List(values)),
    ]
  }

  private static func member(
    _ path: ValuePath, _ component: ValuePath.Component, _ value: Value, _ changes: ValueChanges
  ) -> Value {
    var object: Value.Object = [
      "path": .string(path.luaDescription), "name": .string(component.label),
      "text": .string(ValuePreview.text(of: value, width: previewWidth)),
    ]
    if value.memberCount > 0 { object["count"] = Value(value.memberCount) }
    if let mark = changes.mark { object["mark"] = .string(mark.rawValue) }
    // Measured before it is written, because a text of a large value takes long.
    if value.size(upTo: mostEditable * 8) < mostEditable * 8 {
      let text = value.description
      if text.utf8.count <= mostEditable { object["edit"] = .string(text) }
    }
    return .object(object)
  }
}
#endif
