import LuaBridge

/// An operator around a reducer of the same state and actions. It does something before or after
/// the reducer runs.
class WrapperNode: ReducerNode {
  final let base: ReducerNode

  init(_ base: ReducerNode, origin: String, feature: String? = nil) {
    self.base = base
    super.init(origin: origin, feature: feature)
  }

  final override func add(to settling: inout SettlingFacts) { base.add(to: &settling) }

  final override func settle(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? {
    try base.settle(context, old: old, new: new)
  }

  final override func isAffected(_ context: ReduceContext, _ draft: Int32) -> Bool {
    base.isAffected(context, draft)
  }

  override final func walk(_ walk: StateWalk, _ state: Slot) throws(ScriptError) -> Slot? {
    try base.walk(walk, state)
  }

  final override func addShared(to fields: SharedFields, _ sharing: StoreSharing) {
    base.addShared(to: fields, sharing)
  }

  override var hasReactions: Bool { base.hasReactions }

  override func react(
    _ context: ReduceContext, _ draft: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    try base.react(context, draft, old: old, action)
  }

  final override var isValue: Bool { base.isValue }

  override var view: ViewFunction? { base.view }

  final override func placed(as action: String) -> ReducerNode? { base.placed(as: action) }

  final override var inspects: Bool { base.inspects }

  final override func inspect(_ context: ReduceContext, old: Slot, new: Slot) {
    base.inspect(context, old: old, new: new)
  }
}
