import LuaBridge

/// A child on a part of the state, before its parent; as TCA's `Scope`.
final class ScopeNode: ReducerNode {
  private let base: ReducerNode
  private let child: DomainReference
  private let state: StateAccess
  private let type: Int
  private let action: String

  init(
    base: ReducerNode, child: DomainReference, state: StateAccess, type: Int, action: String,
    origin: String
  ) {
    self.base = base
    self.child = child
    self.state = state
    self.type = type
    self.action = action
    super.init(origin: origin)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> Effect {
    guard action.type == type else { return try base.reduce(context, draft, action) }
    let effect = try reduceChild(context, draft, action.field("action"))
    return effect.followed(by: try base.reduce(context, draft, action))
  }

  private func reduceChild(
    _ context: ReduceContext, _ draft: Int32, _ action: Slot
  ) throws(ScriptError) -> Effect {
    guard action.isContainer else {
      // The parent may have a handler for the bare type.
      return .none
    }
    guard let place = try state.open(context, draft) else {
      context.warn(
        .absentChild,
        """
        \(origin): the action \"\(context.actionPath ?? self.action)\" was sent to a child whose state \
        (\(state.description)) is absent. Either the child's state was removed before the action arrived, or \
        the action was sent while there was no child; guard the sender, or give the state a value first
        """, origin: origin)
      return .none
    }
    let effect = try child.domain().reduce(context, place, action)
    try state.close(context, draft, place)
    return effect.isNone ? effect : try effect.nested(in: self.action)
  }

  override var inspects: Bool {
    // Of a child that is not made yet nobody knows.
    base.inspects || child.madeDomain?.root.inspects ?? true
  }

  override func inspect(_ context: ReduceContext, old: Slot, new: Slot) {
    if base.inspects { base.inspect(context, old: old, new: new) }
    let before = state.look(at: old)
    let after = state.look(at: new)
    guard after.isContainer && !after.isIdentical(to: before),
      let root = child.domainOfState?.root, root.inspects
    else { return }
    root.inspect(context, old: before, new: after)
  }
}

/// How an operator gets from its own state to its child's.
enum StateAccess {
  case path(KeyPath)
  /// A script's own pair of functions.
  case functions(get: Handler, set: Handler, owner: UInt16)

  /// Keys from object to object.
  struct KeyPath {
    let keys: [[UInt8]]

    init(_ dotted: String) {
      keys = dotted.split(separator: ".", omittingEmptySubsequences: false).map { Array($0.utf8) }
    }

    init(_ path: [String]) { keys = path.map { Array($0.utf8) } }
  }

  /// The draft of the child's state, or nil if it is absent.
  func open(_ context: ReduceContext, _ draft: Int32) throws(ScriptError) -> Int32? {
    switch self {
    case .path(let path):
      var draft = draft
      for key in path.keys {
        let child = key.withUnsafeBytes { context.arena.pointee.child(of: draft, key: $0) }
        guard case .draft(let next) = child else { return nil }
        draft = next
      }
      return draft
    case .functions(let get, _, let owner):
      let state = try context.vm.evaluate(get, [.draft(draft)], owner: owner)
      guard state.isContainer else {
        state.release()
        return nil
      }
      return context.arena.pointee.addDetached(state)
    }
  }

  /// Puts the child's state back, where it is not a part of the parent's.
  func close(_ context: ReduceContext, _ draft: Int32, _ child: Int32) throws(ScriptError) {
    guard case .functions(_, let set, let owner) = self else { return }
    _ = try context.vm.call(set, [.draft(draft), .draft(child)], owner: owner)
  }

  /// The child's state (+0) in a parent's that is committed; absent where only a function knows.
  func look(at state: Slot) -> Slot {
    guard case .path(let path) = self else { return .absent }
    var state = state
    for key in path.keys {
      state = key.withUnsafeBytes { state.field($0) }
    }
    return state
  }

  var description: String {
    switch self {
    case .path(let path):
      "state."
        + path.keys.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
    case .functions(let get, _, _): "what `get` at \(get.script):\(get.line) returned"
    }
  }
}
