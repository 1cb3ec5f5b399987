import LuaBridge

/// A reducer for each element of a list, by id, or of an object, by key; before its parent. As TCA's
/// `forEach` over an `IdentifiedArray`, and the classic one over a dictionary.
final class ForEachNode: ReducerNode {
  private let base: ReducerNode
  private let element: DomainReference
  private let state: StateAccess
  private let type: Int
  private let action: String
  private let idKey: [UInt8]
  private let bare: BareTypes

  init(
    base: ReducerNode, element: DomainReference, state: StateAccess, type: Int, action: String,
    idKey: String, bare: BareTypes, origin: String
  ) {
    self.base = base
    self.element = element
    self.state = state
    self.type = type
    self.action = action
    self.idKey = Array(idKey.utf8)
    self.bare = bare
    super.init(origin: origin)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> Effect {
    guard action.type == type else { return try base.reduce(context, draft, action) }
    let id = context.keys.id.value(in: action.slot)
    let nested = context.keys.action.value(in: action.slot)
    guard nested.isContainer else {
      bare.warn(context, nested, type, like: "\(self.action)[ID].…", origin)
      return try base.reduce(context, draft, action)
    }
    let effect = try reduceElement(context, draft, id: id, nested)
    return effect.followed(by: try base.reduce(context, draft, action))
  }

  private func reduceElement(
    _ context: ReduceContext, _ draft: Int32, id: Slot, _ action: Slot
  ) throws(ScriptError) -> Effect {
    guard let collection = try state.open(context, draft) else {
      warnNoCollection(context)
      return .none
    }
    guard let place = try open(context, collection, id) else {
      warnMissing(context, id)
      return .none
    }
    let outer = context.placeHash
    context.placeHash = ElementIndexes.hash(outer, id)
    defer { context.placeHash = outer }
    let effect = try element.reduce(context, place, action)
    return effect.isNone
      ? effect : try effect.nested(in: self.action, id: Value(borrowing: id))
  }

  /// The draft of the element with this id.
  private func open(
    _ context: ReduceContext, _ collection: Int32, _ id: Slot
  ) throws(ScriptError) -> Int32? {
    // Elements without an id are nobody's.
    if id.isAbsent { return nil }
    let container = context.arena.pointee.peek(collection)
    switch container.tag {
    case .list:
      let found = idKey.withUnsafeBytes { key in
        context.indexes.find(id, under: key, in: container, at: place(context))
      }
      guard let found else { return nil }
      if let second = found.duplicate { warnDuplicate(context, id, found.position, second) }
      guard case .draft(let draft) = context.arena.pointee.child(of: collection, at: found.position)
      else { return nil }
      return draft
    case .object, .dictionary:
      // For an object an integer stands for its decimal string.
      guard var key = ForEachNode.key(of: id) else { return nil }
      let child = key.withUTF8 {
        context.arena.pointee.child(of: collection, key: UnsafeRawBufferPointer($0))
      }
      guard case .draft(let draft) = child else { return nil }
      return draft
    default:
      return nil
    }
  }

  private static func key(of id: Slot) -> String? {
    switch id.tag {
    case .string: return id.text
    case .integer: return String(id.integer)
    case .float: return Int64(exactly: id.float).map { String($0) }
    default: return nil
    }
  }

  private func place(_ context: ReduceContext) -> ElementIndexes.Place {
    ElementIndexes.Place(node: ObjectIdentifier(self), above: context.placeHash)
  }

  private func warnNoCollection(_ context: ReduceContext) {
    context.warn(
      .missingElement,
      """
      \(origin): the action \"\(context.actionPath ?? action)\" was sent for an element of \
      \(state.description), which is absent or no table; check the key, or give it a list first
      """, origin: origin)
  }

  private func warnMissing(_ context: ReduceContext, _ id: Slot) {
    guard !id.isAbsent else {
      context.warn(
        .malformedAction,
        """
        \(origin): the action \"\(context.actionPath ?? action)\" has no id, so that no element gets it; send \
        it as \"\(action)[ID].…\", or as a table { type = "\(action)", id = ID, action = … }
        """, origin: origin)
      return
    }
    context.warn(
      .missingElement,
      """
      \(origin): the action \"\(context.actionPath ?? action)\" was sent for an element that \
      \(state.description) does not have (id \(Value(borrowing: id))). Either a parent removed the element \
      before the action arrived (let the element's reducer run first, as forEach does), or an effect of the \
      element was still in flight, or the action was sent by something that outlived the element
      """, origin: origin)
  }

  private func warnDuplicate(_ context: ReduceContext, _ id: Slot, _ first: Int, _ second: Int) {
    context.warn(
      .duplicateID,
      """
      \(origin): two elements of \(state.description) have the id \(Value(borrowing: id)), at the indices \
      \(min(first, second) + 1) and \(max(first, second) + 1); actions reach the first. Ids must be unique
      """, origin: origin)
  }

  // MARK: After an action

  override var inspects: Bool { true }

  override func inspect(_ context: ReduceContext, old: Slot, new: Slot) {
    if base.inspects { base.inspect(context, old: old, new: new) }
    let before = state.look(at: old)
    let after = state.look(at: new)
    guard after.isContainer, !after.isIdentical(to: before) else { return }
    let elements = element.domainOfState?.root
    let inspected = elements?.inspects == true ? elements : nil
    if after.tag == .list {
      inspectList(context, before, after, inspected)
    } else if let inspected {
      inspectObject(context, before, after, inspected)
    }
  }

  private func inspectObject(
    _ context: ReduceContext, _ before: Slot, _ after: Slot, _ elements: ReducerNode
  ) {
    guard let changed = ObjectTree.changedKeys(from: before, to: after) else {
      ObjectTree(borrowing: after).visit { key, value in
        let previous = before.field(key.stringBytes)
        inspectElement(context, elements, id: key, old: previous, new: value)
      }
      return
    }
    for key in changed {
      let id = Value.string(key).ownedSlot()
      defer { id.release() }
      inspectElement(
        context, elements, id: id, old: before.field(named: key), new: after.field(named: key))
    }
  }

  private func inspectList(
    _ context: ReduceContext, _ before: Slot, _ after: Slot, _ elements: ReducerNode?
  ) {
    idKey.withUnsafeBytes { key in
      let duplicates = context.indexes.update(
        from: before, to: after, under: key, at: place(context)
      ) { old, new in
        guard let elements else { return }
        inspectElement(
          context, elements, id: ElementIDs.id(of: new, under: key), old: old, new: new)
      }
      for duplicate in duplicates {
        let element = PersistentList(borrowing: after).borrow(duplicate.second)
        warnDuplicate(
          context, ElementIDs.id(of: element, under: key), duplicate.first, duplicate.second)
      }
    }
  }

  private func inspectElement(
    _ context: ReduceContext, _ elements: ReducerNode, id: Slot, old: Slot, new: Slot
  ) {
    guard new.isContainer, !new.isIdentical(to: old) else { return }
    let outer = context.placeHash
    context.placeHash = ElementIndexes.hash(outer, id)
    elements.inspect(context, old: old, new: new)
    context.placeHash = outer
  }
}

extension Slot {
  /// A string slot's text.
  var text: String { String(decoding: stringBytes, as: UTF8.self) }
}
