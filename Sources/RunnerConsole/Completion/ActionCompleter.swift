import LuaBridge
import RunnerShared
import ScriptedStore

/// Completes the path of an action: with the types that a feature and its children handle, and with
/// the ids of elements in the state. Also finds the handlers of an action.
struct ActionCompleter {
  let tree: ReducerTree
  let state: Value

  /// A handler of an action.
  struct ActionHandler {
    /// The source line at which it begins: `todos.lua:31`.
    let origin: String
    /// How many nested actions are around the one whose payload it handles: 1 for `todos[*].rename`.
    let depth: Int
  }

  /// A handler's pattern, or the rest of one.
  private struct Pattern {
    var segments: ArraySlice<ActionPath.Segment>
    /// Nil for a pattern that no script has declared.
    let handler: ActionHandler?

    init(_ segments: ArraySlice<ActionPath.Segment>, _ handler: ActionHandler) {
      (self.segments, self.handler) = (segments, handler)
    }

    init(name: String) { (segments, handler) = ([ActionPath.Segment(name: name)], nil) }
  }

  /// The reducers that handle the next segment of a path, and the state that they run on.
  private struct Level {
    var reducers: [ReducerTree] = []
    /// Patterns that are handled in addition to those of `reducers`.
    var patterns: [Pattern] = []
    var state: Value?
    /// The enclosing features by name. For a recursive feature, the reducer tree has only a node of
    /// kind `recursion` with the feature's name.
    var enclosingFeatures: [String: ReducerTree] = [:]
  }

  /// A segment that can come next in a path.
  private struct Step {
    var name: String
    /// Whether an id in brackets can follow the name, as in `todos[3]`.
    var takesID = false
    /// Whether the name is also complete without further segments.
    var isCompleteAlone = true
    /// For a step that takes an id: what can follow the name without one, as `push` of a stack.
    var ownActions: [Pattern] = []
    /// Where the path continues after this segment. If the step takes an id, the state here is the
    /// collection; the element is selected by the id.
    var child: Level?
    /// The handlers whose pattern ends with this segment.
    var handlers: [ActionHandler] = []
    /// The rests of patterns behind an id in brackets.
    var elementPatterns: [Pattern] = []
  }

  /// Where a path that may be incomplete ends.
  private enum End {
    /// In a segment, which begins at `start`.
    case segment(Level, start: String.Index)
    /// In the id of an element of the collection that is the state.
    case id(state: Value?, start: String.Index)
  }

  func completion(of text: String) -> Completion {
    let (candidates, start): ([String], String.Index)
    switch end(of: text) {
    case .segment(let level, let begin)?: (candidates, start) = (names(in: level), begin)
    case .id(let state, let begin)?:
      (candidates, start) = (Self.ids(in: state).map { $0.idInBrackets + "]." }, begin)
    case nil: return .none
    }
    return Completion(
      prefix: String(text[..<start]), candidates: candidates, matching: String(text[start...]))
  }

  /// The handlers of the action with this path.
  func handlers(of path: String) -> [ActionHandler] {
    guard case .segment(let level, let start)? = end(of: path) else { return [] }
    return steps(in: level).first { $0.name == path[start...] }?.handlers ?? []
  }

  private func end(of text: String) -> End? {
    var level = Level(reducers: [tree], state: state)
    var rest = text.unicodeScalars[...]
    while true {
      let segment = SegmentText(rest)
      guard segment.name.endIndex < rest.endIndex else {
        return .segment(level, start: rest.startIndex)
      }
      let name = String(segment.name)
      guard let step = steps(in: level).first(where: { $0.name == name }) else { return nil }
      var next = step.child
      if let bracket = segment.id {
        guard step.takesID else { return nil }
        guard !segment.rest.isEmpty else {
          return .id(state: next?.state, start: bracket.startIndex)
        }
        let id = try? ActionPath.id(of: segment, in: text)
        let element = Self.element(id, of: next?.state)
        next?.state = element
      } else if step.takesID {
        next = Level(patterns: step.ownActions)
      }
      guard let next, segment.rest.first == "." else { return nil }
      level = next
      rest = segment.rest.dropFirst()
    }
  }

  private func names(in level: Level) -> [String] {
    steps(in: level).flatMap { step in
      guard step.child != nil else { return [step.name] }
      if !step.takesID { return (step.isCompleteAlone ? [step.name] : []) + [step.name + "."] }
      return [step.name + "["] + (step.ownActions.isEmpty ? [] : [step.name + "."])
    }
  }

  // MARK: Steps

  private func steps(in level: Level) -> [Step] {
    var level = level
    var steps: [Step] = []
    for reducer in level.reducers { add(reducer, in: &level, to: &steps) }
    for pattern in level.patterns { Self.add(Self.step(ofPattern: pattern), to: &steps) }
    for action in Self.buttons(of: level.state) { Self.add(Step(name: action), to: &steps) }
    return steps
  }

  private func add(_ reducer: ReducerTree, in level: inout Level, to steps: inout [Step]) {
    if reducer.kind == "recursion" {
      if let name = reducer.name, let above = level.enclosingFeatures[name] {
        add(above, in: &level, to: &steps)
      }
      return
    }
    if let name = reducer.name, reducer.kind == "feature" {
      level.enclosingFeatures[name] = reducer
    }
    // Children come first: the step of a child has information, such as `takesID`, that the step of
    // a pattern with the same name lacks.
    for child in reducer.children { add(child: child, in: &level, to: &steps) }
    for handler in reducer.handlers where handler.pattern != "*" {
      guard let segments = try? ActionPath(handler.pattern).segments else { continue }
      let handler = ActionHandler(origin: handler.origin, depth: segments.count - 1)
      Self.add(Self.step(ofPattern: Pattern(segments[...], handler)), to: &steps)
    }
    for action in reducer.actions {
      Self.add(step(of: action, level), to: &steps)
    }
  }

  private func add(child: ReducerTree, in level: inout Level, to steps: inout [Step]) {
    var inner = Level(reducers: child.children, enclosingFeatures: level.enclosingFeatures)
    if child.kind == "case", let name = child.name {
      inner.state = level.state?.get(ValuePath([.key(name)]))
      Self.add(Step(name: name, isCompleteAlone: false, child: inner), to: &steps)
    } else if let action = child.childAction, let presence = child.presence {
      inner.state = child.key.flatMap { try? ValuePath($0) }.flatMap { level.state?.get($0) }
      var step = Step(
        name: action, takesID: presence.hasIDs, isCompleteAlone: false, child: inner)
      let ownActions = child.ownActions.map { Pattern(name: $0) }
      if presence.hasIDs {
        step.ownActions = ownActions
      } else {
        step.child?.patterns = ownActions
      }
      Self.add(step, to: &steps)
    } else {
      // A child without an action type of its own handles actions of this level on the same state.
      add(child, in: &level, to: &steps)
    }
  }

  /// The step for the first segment of a handler's pattern. The rest of the pattern may name nested
  /// actions or fields of a payload.
  private static func step(ofPattern pattern: Pattern) -> Step {
    var rest = pattern
    let first = rest.segments.removeFirst()
    var step = Step(name: first.name)
    switch (first.id, rest.segments.isEmpty) {
    case (nil, true): step.handlers = pattern.handler.map { [$0] } ?? []
    case (nil, false): step.child = Level(patterns: [rest])
    case (_, true): break
    case (_, false): step.elementPatterns = [rest]
    }
    return step
  }

  private func step(of action: String, _ level: Level) -> Step {
    var step = Step(name: action)
    if action == "binding", let keys = level.state?.object?.keys {
      step.isCompleteAlone = false
      step.child = Level(patterns: keys.map { Pattern(name: $0) })
    } else if let child = level.state?.get(ValuePath([.key(action)])),
      !Self.buttons(of: child).isEmpty
    {
      step.child = Level(state: child)
    }
    return step
  }

  private static func add(_ step: Step, to steps: inout [Step]) {
    guard let index = steps.firstIndex(where: { $0.name == step.name }) else {
      steps.append(step)
      return
    }
    steps[index].handlers += step.handlers
    // A step that takes an id describes its child completely, but for handlers of the parent. Other
    // steps with the same name are merged, such as the patterns of one group.
    guard !steps[index].takesID else {
      steps[index].child?.patterns += step.elementPatterns
      return
    }
    guard let more = step.child else { return }
    if steps[index].child == nil {
      steps[index].child = more
    } else {
      steps[index].child?.reducers += more.reducers
      steps[index].child?.patterns += more.patterns
    }
  }

  // MARK: State

  /// The ids of the elements of a collection.
  private static func ids(in state: Value?) -> [Value] {
    switch state {
    case .array(let list)?: list.map { $0["id"] }.filter { $0.string != nil || $0.double != nil }
    case .object(let object)?: object.keys.map { .string($0) }
    default: []
    }
  }

  private static func element(_ id: ActionPath.ID?, of state: Value?) -> Value? {
    guard case .value(let id)? = id else { return nil }
    return switch state {
    case .array(let list)?: list.first { $0["id"] == id }
    case .object(let object)?: object[id.string ?? "\(id)"]
    default: nil
    }
  }

  /// The actions that the buttons of an alert or a confirmation dialog send.
  private static func buttons(of state: Value?) -> [String] {
    guard case .array(let buttons)? = state?["buttons"] else { return [] }
    return buttons.compactMap { button in
      (try? Action(button["action"]))?.path ?? button["action"].string
    }
  }
}
