import LuaBridge

extension Reducer {
  /// Runs `element` on the element of the array at `key` that has the action's id, for actions
  /// `{ type = action, id = …, action = … }`, then `self`. Also pushes and pops elements. As TCA's
  /// `forEach` over stack state.
  ///
  /// An element is `{ id = 0, <case> = { … } }`, and its reducer is most often
  /// ``cases(_:file:line:)``. The ids count up from 0 in each store, and none is used twice.
  /// Elements that `self` adds without an id get one when the action ends.
  ///
  /// `"<action>.push"` with `{ state = { … } }` appends an element, then runs `self`.
  /// `"<action>.popFrom"` with `{ id = … }` runs `self`, then removes that element and all elements
  /// above it. The effects of removed elements are cancelled.
  ///
  /// It is a warning to push an id that the stack has, to pop an id that it does not have, or to
  /// send an action for an element that it does not have.
  ///
  /// ```swift
  /// Reducer.script("app")
  ///   .stack("path", .cases(["detail": .script("detail"), "record": .script("record")]))
  /// ```
  ///
  /// - Parameters:
  ///   - key: the dotted path of the array.
  ///   - action: the type of the stack's actions; by default the last segment of `key`.
  ///   - element: the reducer of an element.
  ///   - file: the file that calls this, for messages.
  ///   - line: the line that calls this, for messages.
  public func stack(
    _ key: String, action: String? = nil, _ element: Reducer,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    attaching(
      element, at: Reducer.path(key), action: action, origin: "stack at \(file):\(line)",
      ReducerCompiler.stack)
  }
}

extension ReducerCompiler {
  func stack(
    _ stack: ChildOperator, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let element = try reference(to: stack.child, idKey: "id", origin: stack.origin)
    try element.reserve(["push", "popFrom"], origin: stack.origin)
    try element.declareUndismissed(by: stack.origin)
    let parts = try parts(stack, element, &builder)
    return StackNode(try compile(stack.base, &builder), parts)
  }
}

/// Runs a reducer on the element of a navigation stack that an action addresses, then the parent.
/// Pushes and pops elements. As TCA's `forEach` over `StackState`.
final class StackNode: ForEachNode {
  init(_ base: ReducerNode, _ parts: ChildParts) {
    super.init(base, parts, .stack, idKey: "id")
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    guard action.type == elements.type, context.keys.id.value(in: action.slot).isAbsent else {
      return try super.reduce(context, draft, action)
    }
    let nested = context.keys.action.value(in: action.slot)
    let type = context.keys.type.value(in: nested)
    if type.isText("push") {
      try push(context, draft, nested)
      return try base.reduce(context, draft, action)
    }
    if type.isText("popFrom") { return try popFrom(context, draft, nested, action) }
    return try super.reduce(context, draft, action)
  }

  private func path(_ context: ReduceContext, _ type: String) -> String {
    context.actionPath ?? "\(elements.action).\(type)"
  }

  // MARK: Pushing

  @inline(never)
  private func push(
    _ context: ReduceContext, _ draft: Int32, _ action: Slot
  ) throws(ScriptError) {
    let pushed = action.field("state")
    guard pushed.isObject || pushed.tag == .empty else {
      context.warn(
        .malformedAction,
        """
        \(origin): the action \"\(path(context, "push"))\" has no table in its field `state`; send it as \
        \"\(elements.action).push\" with { state = { … } }
        """, origin: origin)
      return
    }
    guard let stack = try open(context, draft) else { return }
    let list = try context.currentValue(of: stack)
    var id = context.keys.id.value(in: action)
    if id.isAbsent { id = context.keys.id.value(in: pushed) }
    if id.isAbsent || id.tag == .null {
      id = freeID(context, in: list, at: elements.listKey(context))
    } else if position(of: id, in: list, context) != nil {
      return warnThere(context, id)
    }
    record(id, at: elements.listKey(context), context)
    let element = StackNode.element(pushed, with: id)
    do throws(DraftError) {
      try context.arena.pointee.append(element, to: stack)
    } catch {
      throw ScriptError("\(origin): \(error.message)")
    }
  }

  /// The draft of the list. Nil if there is none, which is a warning.
  private func open(_ context: ReduceContext, _ draft: Int32) throws(ScriptError) -> Int32? {
    if let stack = try elements.state.childDraft(context, draft),
      !context.arena.pointee.peek(stack).isObject
    {
      return stack
    }
    warnNoCollection(context)
    return nil
  }

  private func freeID(
    _ context: ReduceContext, in list: Slot, at key: ElementIndexes.ListKey
  ) -> Slot {
    func next() -> Slot {
      var id = context.indexes.stacks.next(at: key)
      // A reducer that ran earlier in this action may have used the id.
      while id < .max, position(of: .integer(id), in: list, context) != nil { id += 1 }
      return .integer(id)
    }
    return context.recorder?.stackID(elements.action, next) ?? next()
  }

  private func position(of id: Slot, in list: Slot, _ context: ReduceContext) -> Int? {
    context.indexes.find(id, under: elements.idKey, in: list, at: elements.listKey(context))?
      .position
  }

  private func record(_ id: Slot, at key: ElementIndexes.ListKey, _ context: ReduceContext) {
    let number: Int64? =
      switch id.tag {
      case .integer: id.integer
      case .float: Int64(exactly: id.float)
      default: nil
      }
    if let number { context.indexes.stacks.record(number, at: key) }
  }

  /// The element for a pushed state: the state with `id` as its first key. A state that has this id
  /// already is not changed. The arguments are borrowed (+0), the element is owned (+1).
  private static func element(_ state: Slot, with id: Slot) -> Slot {
    if !state.field("id").isAbsent, Slot.equal(state.field("id"), id) { return state.retained() }
    var object = Value.Object()
    object["id"] = Value(borrowing: id)
    if state.isObject {
      for (key, value) in Value.Object(storage: ObjectTree(borrowing: state)) where key != "id" {
        object[key] = value
      }
    }
    return Value.object(object).ownedSlot()
  }

  private func warnThere(_ context: ReduceContext, _ id: Slot) {
    context.warn(
      .duplicateID,
      """
      \(origin): the action \"\(path(context, "push"))\" pushes the id \(Value(borrowing: id)), which \
      \(elements.state.description) has already; nothing is appended. Leave the id out, or take one that is not there
      """, origin: origin)
  }

  // MARK: Popping

  /// Runs the parent, which sees the elements one last time, and then removes them.
  @inline(never)
  private func popFrom(
    _ context: ReduceContext, _ draft: Int32, _ nested: Slot, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    let id = context.keys.id.value(in: nested)
    guard !id.isAbsent else {
      context.warn(
        .malformedAction,
        """
        \(origin): the action \"\(path(context, "popFrom"))\" has no id; send it as \"\(elements.action).popFrom\" \
        with { id = ID }
        """, origin: origin)
      return try base.reduce(context, draft, action)
    }
    guard let stack = try open(context, draft) else {
      return try base.reduce(context, draft, action)
    }
    let list = try context.currentValue(of: stack)
    guard position(of: id, in: list, context) != nil else {
      context.warn(
        .missingElement,
        """
        \(origin): the action \"\(path(context, "popFrom"))\" was sent for an element that \(elements.state.description) \
        does not have (id \(Value(borrowing: id)); it has \(StackNode.ids(of: list))). Either it was popped before, \
        or the parent removed it itself; send it only while the element is there
        """, origin: origin)
      return try base.reduce(context, draft, action)
    }
    let effect = try base.reduce(context, draft, action)
    if let stack = try elements.state.childDraft(context, draft),
      let left = position(of: id, in: try context.currentValue(of: stack), context)
    {
      context.arena.pointee.removeElements(of: stack, from: left)
    }
    return effect
  }

  private static func ids(of list: Slot) -> String {
    guard list.tag == .list else { return "none" }
    var ids: [String] = []
    PersistentList(borrowing: list).visit { ids.append("\(Value(borrowing: $0.field("id")))") }
    return ids.joined(separator: ", ")
  }

  // MARK: After an action

  override var ownTraits: Traits { .settles }

  /// Gives ids to elements that have none.
  override func settleOwn(
    _ context: ReduceContext, old: Slot, new: Slot
  ) throws(ScriptError) -> Slot? {
    let list = elements.state.childState(in: new)
    guard list.tag == .list else { return nil }
    let key = elements.listKey(context)
    var missing: [NodeChild.Change] = []
    try elements.forEachChange(from: old, to: new, context) { (element) throws(ScriptError) in
      guard element.new.isObject || element.new.tag == .empty else {
        throw ScriptError(
          "\(origin): \(elements.state.description)[\(element.position + 1)] must be a table, not "
            + "\(Value(borrowing: element.new))")
      }
      if element.id.isAbsent || element.id.tag == .null {
        missing.append(element)
      } else if element.old.isAbsent {
        record(element.id, at: key, context)
      }
    }
    if missing.isEmpty { return nil }
    let named = missing.map { element in
      let id = freeID(context, in: list, at: key)
      record(id, at: key, context)
      return (position: element.position, slot: StackNode.element(element.new, with: id))
    }
    return elements.replacing(named, in: new)
  }
}

/// The ids that the stacks of a store have given to their elements.
///
///     record ──▶ pending ──┬─ commit ───▶ next
///                          └─ rollBack ─▶ dropped
///
/// 1. In each stack the ids count up from 0, and none is given twice.
/// 2. An id that a rolled-back action used is free again.
/// 3. After a reload, and when a store comes back from a journal, the stacks cannot be matched with those before it. All
///    of them go on above the highest id of any stack.
final class StackIDs {
  /// The next id of each stack that has had an element.
  private var next: [ElementIndexes.ListKey: Int64] = [:]
  /// The next ids according to the action that runs.
  private var pending: [ElementIndexes.ListKey: Int64] = [:]
  /// Where stacks without an entry in ``next`` begin: above all ids from before (invariant 3).
  private var first: Int64 = 0
  /// Above all ids that were ever given, in any stack.
  private(set) var highest: Int64 = 0

  /// All stacks go on from this number, or above what they have if that is more (invariant 3).
  func goOn(from number: Int64) {
    highest = max(highest, number)
    dropAll()
  }

  /// The next id of a stack: above all ids that were ever seen there.
  func next(at stack: ElementIndexes.ListKey) -> Int64 {
    pending[stack] ?? next[stack] ?? first
  }

  /// Drops the stacks, because the store runs other reducers from now on (invariant 3).
  func dropAll() {
    first = highest
    next = [:]
    pending = [:]
  }

  /// Records that an element of the stack has this id.
  func record(_ id: Int64, at stack: ElementIndexes.ListKey) {
    // No id follows the last one.
    guard id < .max, id >= next(at: stack) else { return }
    pending[stack] = id + 1
  }

  /// Makes the recorded ids final, after the action is committed.
  @inline(__always)
  func commit() {
    if pending.isEmpty { return }
    for (stack, number) in pending {
      next[stack] = number
      highest = max(highest, number)
    }
    pending = [:]
  }

  /// Drops the recorded ids, after the action is rolled back.
  func rollBack() {
    if !pending.isEmpty { pending = [:] }
  }
}
