import LuaBridge

extension Reducer {
  /// A reducer that does nothing.
  public static let empty = Reducer(origin: "empty") { (_, _) throws(ScriptError) in
    CombineNode([], origin: "empty")
  }

  /// Runs reducers of one state and one set of actions in order, and merges their effects. As TCA's
  /// `CombineReducers`.
  public static func combine(
    _ reducers: Reducer..., file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    let origin = "combine at \(file):\(line)"
    return Reducer(origin: origin) { (compiler, builder) throws(ScriptError) in
      try compiler.combine(reducers.map { .swift($0) }, origin, &builder)
    }
  }
}

extension ReducerCompiler {
  func combine(
    _ reducers: [ReducerSource], _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    var nodes: [ReducerNode] = []
    for reducer in reducers { nodes.append(try compile(reducer, &builder)) }
    return CombineNode(nodes, origin: origin)
  }
}

/// Runs the reducers of one domain in order, and merges their effects. Without reducers it is
/// `empty`.
final class CombineNode: ReducerNode {
  private let reducers: [ReducerNode]

  init(_ reducers: [ReducerNode], origin: String) {
    self.reducers = reducers
    super.init(origin: origin)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    var effect = ReturnedEffects.none
    for reducer in reducers {
      effect = effect.followed(by: try reducer.reduce(context, draft, action))
    }
    return effect
  }

  override func add(to settling: inout SettlingFacts) {
    for reducer in reducers { reducer.add(to: &settling) }
  }

  override func settle(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? {
    var settled: Slot?
    for reducer in reducers {
      settled = try reducer.settle(context, old: old, new: new, after: settled)
    }
    return settled
  }

  override func addShared(to fields: SharedFields, _ sharing: StoreSharing) {
    for reducer in reducers { reducer.addShared(to: fields, sharing) }
  }

  override var hasReactions: Bool { reducers.contains { $0.hasReactions } }

  override func react(
    _ context: ReduceContext, _ draft: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    var effect = ReturnedEffects.none
    for reducer in reducers {
      effect = effect.followed(by: try reducer.react(context, draft, old: old, action))
    }
    return effect
  }

  override func isAffected(_ context: ReduceContext, _ draft: Int32) -> Bool {
    reducers.contains { $0.isAffected(context, draft) }
  }

  override func walk(_ walk: StateWalk, _ state: Slot) throws(ScriptError) -> Slot? {
    var walked: Slot?
    for reducer in reducers {
      walked = try self.walk(state, after: walked) { (state) throws(ScriptError) in
        try reducer.walk(walk, state)
      }
    }
    return walked
  }

  override var view: ViewFunction? {
    for reducer in reducers {
      if let view = reducer.view { return view }
    }
    return nil
  }

  override func placed(as action: String) -> ReducerNode? {
    for reducer in reducers {
      if let placed = reducer.placed(as: action) { return placed }
    }
    return nil
  }

  override var outline: NodeOutline { NodeOutline(kind: "combine", parts: reducers) }

  override var inspects: Bool { reducers.contains { $0.inspects } }

  override func inspect(_ context: ReduceContext, old: Slot, new: Slot) {
    for reducer in reducers where reducer.inspects || context.effects != nil {
      reducer.inspect(context, old: old, new: new)
    }
  }
}
