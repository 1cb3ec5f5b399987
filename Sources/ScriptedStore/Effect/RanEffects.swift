import LuaBridge

/// What a reducer returned that a handler ran itself, `Child.run(state.child, action, deps)`, as one effect for that
/// handler to return: it belongs to the place of who returns it.
// Unchecked: all that is here is immutable, and only looked at inside the lock of the VM that made it, as `isOf` tells. It
// may be let go of anywhere: then references are counted down, atomically, and what is in Lua is forgotten as it is by any
// ``LuaReference``.
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
  /// Which the parts keep, if there is a script among them.
  private let vm: ObjectIdentifier

  /// Whether it was made in a VM, whose lock is held: nobody else may look at parts with code.
  func isOf(_ vm: LuaVM?) -> Bool { vm.map { ObjectIdentifier($0) } == self.vm }

  init(_ returned: ReturnedEffects, of domain: Domain, _ context: ReduceContext) {
    self.domain = domain
    vm = ObjectIdentifier(context.vm)
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
