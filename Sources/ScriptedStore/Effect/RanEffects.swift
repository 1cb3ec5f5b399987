import LuaBridge

/// What a reducer returned that a handler ran itself, `Child.run(state.child, action, deps)`, as one effect for that
/// handler to return: it belongs to the place of who returns it.
// Unchecked: made by a script of the VM that the parts belong to, held by it alone, and opened and let go of inside its
// lock; all that is here is immutable.
final class RanEffects: @unchecked Sendable {
  /// An effect of the tree that ran.
  struct Part {
    let node: EffectNode
    let reducer: Unmanaged<ReducerNode>
    let owner: EffectOwner?
    /// The children on the way to it, outermost first, that its actions are for.
    let way: [(type: String, id: Value?)]

    /// Where it starts, if whoever ran the tree starts there.
    func context(_ outer: StartContext) -> StartContext {
      var inner = outer
      inner.reducer = reducer.takeUnretainedValue()
      inner.owner = owner
      for child in way { inner.route = Route(.nested(type: child.type, id: child.id), inner.route) }
      return inner
    }
  }

  let parts: [Part]
  /// The tree, which keeps its nodes.
  private let domain: Domain

  init(_ returned: ReturnedEffects, of domain: Domain, _ context: ReduceContext) {
    self.domain = domain
    var parts: [Part] = []
    RanEffects.collect(returned, context, [], &parts)
    self.parts = parts
  }

  private static func collect(
    _ returned: ReturnedEffects, _ context: ReduceContext, _ way: [(type: String, id: Value?)],
    _ parts: inout [Part]
  ) {
    switch returned {
    case .none: break
    case .effect(let node, let reducer, let owner):
      parts.append(Part(node: node, reducer: reducer, owner: owner, way: way))
    case .run(let index): collect(context.takeEffect(ofRun: index), context, way, &parts)
    case .list(let effects):
      for effect in effects { collect(effect, context, way, &parts) }
    case .nested(let inner, let child):
      collect(inner, context, way + [(child.type, child.id)], &parts)
    }
  }
}
