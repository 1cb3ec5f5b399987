import LuaBridge

/// The effects of a reducer that a handler has run itself (`Child.run(state.child, action, deps)`),
/// as one effect for the handler to return. They belong to the place of the reducer that returns
/// them.
// Proof: all properties are immutable. Code in the parts is used only inside the lock of the VM
// that made it (`isOf`). The last reference may go on any thread: counting is atomic, and
// references to Lua are released as those of any ``LuaReference`` are.
final class DirectEffects: @unchecked Sendable {
  /// One effect that the reducer returned.
  struct Part {
    fileprivate(set) var node: EffectNode
    let reducer: Unmanaged<ReducerNode>
    let owner: EffectOwner?
    /// The children from the reducer to the effect's own, the outermost first.
    let way: [ActionStep]

    /// Where the effect starts, if the handler's own effect starts at `outer`.
    func context(_ outer: StartContext) -> StartContext {
      var inner = outer
      inner.reducer = reducer.takeUnretainedValue()
      inner.owner = owner
      for step in way { inner.route = Route(.nested(step), inner.route) }
      return inner
    }
  }

  let parts: [Part]
  /// Owns the reducers of the parts.
  private let domain: Domain
  /// The VM of the scripts in the parts. They retain it.
  private let vm: ObjectIdentifier

  /// Whether the parts' code is of this VM. Only then may the holder of its lock use the code.
  func isOf(_ vm: LuaVM?) -> Bool { vm.map { ObjectIdentifier($0) } == self.vm }

  private init(_ parts: [Part], _ other: DirectEffects) {
    (self.parts, domain, vm) = (parts, other.domain, other.vm)
  }

  /// The effects with other parts; nil if `change` leaves none of them.
  func withParts(_ change: (EffectNode) -> EffectNode?) -> DirectEffects? {
    let left = parts.compactMap { part in
      change(part.node).map { node in
        var part = part
        part.node = node
        return part
      }
    }
    return left.isEmpty ? nil : DirectEffects(left, self)
  }

  init(_ returned: ReturnedEffects, of domain: Domain, _ context: ReduceContext) {
    self.domain = domain
    vm = ObjectIdentifier(context.vm)
    var parts: [Part] = []
    DirectEffects.collect(returned, context, [], &parts)
    self.parts = parts
  }

  private static func collect(
    _ returned: ReturnedEffects, _ context: ReduceContext, _ way: [ActionStep],
    _ parts: inout [Part]
  ) {
    switch returned {
    case .none: break
    case .effect(let node, let reducer, let owner):
      parts.append(Part(node: node, reducer: reducer, owner: owner, way: way))
    case .run(let run): collect(run.takeEffect(of: context.vm), context, way, &parts)
    case .list(let effects):
      for effect in effects { collect(effect, context, way, &parts) }
    case .nested(let inner, let child):
      collect(inner, context, way + [child.step], &parts)
    }
  }
}
