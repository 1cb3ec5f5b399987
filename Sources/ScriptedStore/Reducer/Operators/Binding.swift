import LuaBridge

extension Reducer {
  /// Writes the `value` of actions `{ type = "binding", key = …, value = … }` at their `key`, a
  /// dotted path. Null removes the key. As TCA's `BindingReducer`.
  ///
  /// ```swift
  /// let form = Reducer.combine(.binding(), .script("form"))
  /// try store.send("binding.user.name", "Blob")
  /// ```
  ///
  /// An action without a `value` is refused, and the state stays as it is. It is a runtime warning
  /// if neither the state nor the defaults of the script's feature have the key.
  public static func binding(file: StaticString = #fileID, line: UInt = #line) -> Reducer {
    let origin = "binding at \(file):\(line)"
    return Reducer(origin: origin) { (compiler, builder) throws(ScriptError) in
      compiler.binding(origin, &builder)
    }
  }
}

extension ReducerCompiler {
  /// - Parameter isPartOfFeature: whether the node belongs to a feature with `binding = true`.
  func binding(
    _ origin: String, isPartOfFeature: Bool = false, _ builder: inout DomainBuilder
  ) -> ReducerNode {
    let type = builder.vocabulary.add(handler: ["binding"])
    builder.vocabulary.handlesBindings = true
    return BindingNode(
      type: type, defaults: builder.defaults, isPartOfFeature: isPartOfFeature, origin: origin)
  }
}

/// Writes the values of bindings, for actions `{ type = "binding", key = "user.name", value = V }`.
/// As TCA's `BindingReducer`.
final class BindingNode: ReducerNode {
  private let type: Int
  private let defaults: DefaultStates
  private let isPartOfFeature: Bool

  init(type: Int, defaults: DefaultStates, isPartOfFeature: Bool, origin: String) {
    self.isPartOfFeature = isPartOfFeature
    self.type = type
    self.defaults = defaults
    super.init(origin: origin, feature: origin)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    guard action.type == type else { return .none }
    context.currentNode = Unmanaged.passUnretained(self)
    guard let key = Value(ifPresent: action.slot.field("key"))?.string, !key.isEmpty else {
      throw ScriptError(
        "\(origin): the action of a binding needs the field `key`, the path of what it changes")
    }
    let value = action.slot.field("value")
    guard !value.isAbsent else {
      throw ScriptError(
        "\(origin): the binding of \"\(key)\" has no value; scripted.null removes what is there")
    }
    try write(value, at: key, context, draft)
    return .none
  }

  private func write(
    _ value: Slot, at key: String, _ context: ReduceContext, _ draft: Int32
  ) throws(ScriptError) {
    let path = try path(of: key)
    var target = draft
    for segment in path.dropLast() {
      try context.requireWritable(target, segment.name, origin: origin)
      guard case .draft(let next) = context.child(of: target, named: segment.name),
        let next = element(segment.id, of: next, context)
      else {
        return warn(key, "so there is nothing to write it to", context)
      }
      target = next
    }
    let last = path[path.count - 1].name
    let written = value.tag == .null ? Slot.absent : value
    if try context.setShared(target, last, to: written, origin: origin) { return }
    guard var object = Value(borrowing: try context.currentValue(of: target)).object else {
      return warn(key, "so there is nothing to write it to", context)
    }
    let names = path.map(\.name)
    let isKnown =
      object[last] != nil || defaults.isOptional(names)
      || path.allSatisfy { $0.id == nil } && defaults.have(names)
    if !isKnown {
      // Of nested keys the last one is what is written, so its neighbours are what may be meant.
      let nearest = Suggestion.nearest(to: last, in: object.map(\.key))
      let meant = nearest.map { "did you mean \"\($0)\"? If not, " } ?? "check its spelling, or "
      warn(key, "\(meant)give the state a default for it", context)
    }
    // `.none` and not `nil`: a `nil` literal may mean the value null.
    let new = value.tag == .null ? Value?.none : Value(borrowing: value)
    guard object[last] != nil || new != nil else { return }
    object[last] = new
    try context.replace(target, by: Value.object(object).ownedSlot(), origin: origin)
  }

  /// The field names of a key, with the ids of elements behind those of their lists.
  private func path(of key: String) throws(ScriptError) -> [ActionPath.Segment] {
    let path: ActionPath
    do throws(ActionError) {
      path = try ActionPath(bindingKey: key)
    } catch {
      throw ScriptError("\(origin): the key \"\(key)\" of a binding is malformed: \(error.message)")
    }
    guard path.segments.last?.id == nil else {
      throw ScriptError(
        "\(origin): the key \"\(key)\" of a binding names an element; a binding writes a field of it"
      )
    }
    return path.segments
  }

  /// The draft of the element with this id in a list or dictionary; the draft itself if there is no id, nil if there is no
  /// such element.
  private func element(
    _ id: ActionPath.ID?, of draft: Int32, _ context: ReduceContext
  ) -> Int32? {
    guard case .value(let id)? = id else { return id == nil ? draft : nil }
    let slot = id.ownedSlot()
    defer { slot.release() }
    let container = context.arena.pointee.peek(draft)
    let found: DraftChild
    if container.tag == .list {
      guard
        let position = ElementIDs.position(of: slot, under: context.keys.id.bytes, in: container)
      else { return nil }
      found = context.arena.pointee.child(of: draft, at: position)
    } else {
      guard let key = NodeElements.key(of: slot) else { return nil }
      found = context.child(of: draft, named: key)
    }
    guard case .draft(let element) = found else { return nil }
    return element
  }

  private func warn(_ key: String, _ remedy: String, _ context: ReduceContext) {
    context.warn(
      .unknownBindingKey,
      """
      \(origin): the action \"\(context.actionPath ?? "binding")\" is for the key \"\(key)\", which neither the state \
      nor its defaults have; \(remedy)
      """, origin: origin)
  }

  override var outline: NodeOutline {
    NodeOutline(kind: "binding", isPartOfFeature: isPartOfFeature, actions: ["binding"])
  }
}

/// The initial states of the features in a domain, and the keys that a state may have beside them.
final class DefaultStates {
  private var tables: [LuaTable] = []
  private var values: [Value] = []
  private var optional: Set<[String]> = []

  /// Adds a key that is absent while it has no value. Keys in elements of lists are without ids.
  func add(optional key: [String]) { optional.insert(key) }

  func isOptional(_ key: [String]) -> Bool { optional.contains(key) }

  func add(_ table: LuaTable) { tables.append(table) }

  /// Whether an initial state has a value at the path. The states are read when this is first
  /// called; most are never needed.
  func have(_ path: [String]) -> Bool {
    values += tables.compactMap { try? $0.value(named: "state") }
    tables = []
    return values.contains { $0.exists(at: ValuePath(path.map { .key($0) })) }
  }
}
