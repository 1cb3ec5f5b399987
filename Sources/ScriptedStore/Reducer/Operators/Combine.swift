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
  init(_ reducers: [ReducerNode], origin: String) {
    super.init(origin: origin, parts: reducers)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    var effect = ReturnedEffects.none
    for reducer in parts {
      effect.append(try reducer.reduce(context, draft, action))
    }
    return effect
  }

  override var outline: NodeOutline { NodeOutline(kind: "combine") }
}
