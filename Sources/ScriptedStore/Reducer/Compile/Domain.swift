import LuaBridge

/// A compiled reducer: the nodes that share one state and one set of action types. `combine` and
/// operators add nodes to a domain. A child of `scope` or `forEach` is a domain of its own.
final class Domain {
  let root: ReducerNode
  private let types: NameTable
  /// Whether some reducer handles every type, as `reduce` does.
  private let acceptsAllTypes: Bool
  /// The number of the type `binding` if the domain accepts it, no reducer writes bindings, and no
  /// child has that type; else -1.
  private let unhandledBinding: Int
  /// The nested types that the domain's own handlers and `actions` name, by the number of the outer
  /// type.
  private let nestedTypes: [KnownTypes]
  /// The actions that domains around this one handle, if no reducer runs on its state: otherwise the
  /// domain's own reducers say which types are known.
  private var typesFromParents = KnownTypes(isWhole: false)
  /// Whether a domain around this one handles all of its actions.
  private var isWholeHandledAbove = false
  /// Whether an action of a type needs no further check, by the number of the type.
  private var needsNoCheck: [Bool]
  /// Tells which keys of the state bindings may write.
  let defaults: DefaultStates
  /// The children by the number of their actions' type.
  let children: [Int: DomainReference]
  /// Whether its state is tagged: an object with its case as the only key.
  let isTagged: Bool
  /// The key of the id that may stand beside the case in a tagged state; set for elements only.
  let idBytes: [UInt8]?
  /// The cases that are ephemeral, or that the whole domain is.
  private let ephemeral: Ephemeral
  let hasEphemeral: Bool
  /// The origin of an operator around this domain that never dismisses ephemeral children; else
  /// nil.
  private var undismissingOperator: String?
  /// The name of the first feature, which messages use for the domain.
  let name: String
  private let origin: String
  /// The origin of an `optional` around this domain, which warnings about an absent child name.
  let optional: String?

  /// The domain as views see it.
  private(set) lazy var viewSite = ViewSite(self)

  private(set) lazy var givenState = GivenState(root)

  init(_ builder: consuming DomainBuilder, root: ReducerNode) {
    self.root = root
    unhandledBinding = builder.unhandledBinding()
    types = builder.types
    acceptsAllTypes = builder.acceptsAllTypes
    nestedTypes = builder.nestedTypes
    var needsNoCheck = builder.nestedTypes.map { $0.isWhole || builder.acceptsAllTypes }
    if unhandledBinding >= 0 { needsNoCheck[unhandledBinding] = false }
    self.needsNoCheck = needsNoCheck
    optional = builder.optional
    defaults = builder.defaults
    children = builder.children
    isTagged = builder.isTagged
    idBytes = builder.idKey.map { Array($0.utf8) }
    ephemeral = builder.ephemeral
    hasEphemeral = if case .none = builder.ephemeral { false } else { true }
    name = builder.name ?? root.origin
    origin = builder.origin ?? root.origin
  }

  /// Reduces an action on the domain's state at `draft`. The action is borrowed (+0).
  @inline(__always)
  func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    let type = context.keys.type.value(in: action)
    guard case .string = type.tag else { return notAnAction(context) }
    let number = types.number(of: type.stringBytes)
    if number < 0 ? !acceptsAllTypes : !needsNoCheck[number] { check(action, number, context) }
    return try root.reduce(context, draft, ActionCursor(slot: action, type: number))
  }

  /// The child whose actions have this type; nil if there is none.
  func child(of type: String) -> DomainReference? { children[types.number(of: type)] }

  /// The types of the actions of the children.
  var childTypes: [String] { types.names.filter { child(of: $0) != nil } }

  /// Whether the domain names this action type.
  func hasType(_ type: String) -> Bool { types.number(of: type) >= 0 }

  /// The case that is dismissed after an action of this type; empty if the whole state is, nil if
  /// nothing is. `type` is borrowed (+0).
  func ephemeralCase(of type: Slot) -> String? {
    switch ephemeral {
    case .none: nil
    case .whole: ""
    case .cases(let cases):
      type.tag == .string ? cases.first { type.stringBytes.elementsEqual($0.utf8) } : nil
    }
  }

  /// Declares that the operator at `origin` does not dismiss ephemeral children. Actions of
  /// ephemeral cases warn from then on. Throws if the whole domain is ephemeral.
  func declareUndismissed(by origin: String) throws(ScriptError) {
    switch ephemeral {
    case .none: break
    case .whole:
      throw ScriptError(
        "\(origin): nothing lets go of `ephemeral` here; it stands in ifLet, or in cases that stand in ifLet"
      )
    case .cases(let cases):
      undismissingOperator = origin
      for name in cases { needsNoCheck[types.number(of: name)] = false }
    }
  }

  private func warnOfEphemeral(
    _ name: String, _ undismissingOperator: String, _ context: ReduceContext
  ) {
    context.warn(
      .notPresented,
      """
      \(undismissingOperator): the action "\(context.actionPath ?? name)" is for the case '\(name)', which is ephemeral, but nothing \
      presents it here, so that it stays; put the cases into an ifLet, or give the case `ignored` and let go of it yourself
      """, origin: undismissingOperator)
  }

  @inline(never)
  private func notAnAction(_ context: ReduceContext) -> ReturnedEffects {
    context.warn(
      .malformedAction,
      "what \(name) got as its action is not a table with a type\(messageEnd(context))",
      origin: origin)
    return .none
  }

  @inline(never)
  private func check(_ action: Slot, _ number: Int, _ context: ReduceContext) {
    if number < 0 || number == unhandledBinding, warnOfBinding(action, context) || acceptsAllTypes {
      return
    }
    if let undismissingOperator, let name = ephemeralCase(of: action.field("type")) {
      return warnOfEphemeral(name, undismissingOperator, context)
    }
    guard number >= 0 else {
      unknown(action.field("type"), among: types.names, context)
      return
    }
    // The type is a group of the feature's own: check the nested types as far as they are named.
    var level = nestedTypes[number]
    var nested = action.field("action")
    while !level.isWhole, nested.isContainer {
      let type = nested.field("type")
      guard type.tag == .string else { return }
      let name = String(decoding: type.stringBytes, as: UTF8.self)
      guard let next = level.below[TextKey(name)] else {
        unknown(type, among: level.below.keys.map(\.text), context)
        return
      }
      level = next
      nested = nested.field("action")
    }
  }

  /// Warns of a binding's action that no reducer writes. Returns whether the action is a binding's.
  private func warnOfBinding(_ action: Slot, _ context: ReduceContext) -> Bool {
    let key = action.field("key")
    guard key.tag == .string, Value(borrowing: action.field("type")) == "binding",
      !action.field("action").isContainer
    else { return false }
    context.warn(
      .unhandledBinding,
      """
      nothing in \(name) writes what a binding says, so \"\(Value(borrowing: key).string ?? "")\" stays as it is; give the \
      feature `binding = true`, or combine it with scripted.binding()\(messageEnd(context))
      """, origin: origin)
    return true
  }

  private func unknown(_ type: Slot, among names: [String], _ context: ReduceContext) {
    let unknown = String(decoding: type.stringBytes, as: UTF8.self)
    var message = "\(name) has no handler for the action \"\(unknown)\""
    if let nearest = Suggestion.nearest(to: unknown, in: names) {
      message += "; did you mean \"\(nearest)\"?"
    } else if isTagged && name == origin {
      message += "; the cases are \(names.sorted().joined(separator: ", "))"
    } else {
      message += "; if it is meant for a parent, list it in `actions`"
    }
    context.warn(.unknownAction, message + messageEnd(context), origin: origin)
  }

  /// The end of a message: where the domain was declared, and the whole action.
  private func messageEnd(_ context: ReduceContext) -> String {
    let action = context.actionPath.map { "the action \"\($0)\"" } ?? "no action"
    return name == origin ? " (\(action))" : " (\(origin), \(action))"
  }

  /// Throws if neither this domain nor its children know a segment of the pattern. A lazy child is
  /// checked when it is made. A value that no reducer runs on learns its types from the pattern.
  func require(_ pattern: KnownPattern) throws(ScriptError) {
    if root.isValue { return typesFromParents.add(pattern.rest.map(\.name)[...]) }
    guard let name = pattern.rest.first?.name else { return try requireEverything() }
    let number = types.number(of: name)
    guard number >= 0 else {
      if acceptsAllTypes || pattern.handler == nil { return }
      throw pattern.failure(at: name, in: self.name, known: types.names)
    }
    var below = pattern
    below.rest.removeFirst()
    if let child = children[number] { return try child.require(below) }
    if pattern.handler != nil, let unknown = unknownNested(below.rest, in: number) {
      throw pattern.failure(at: unknown.name, in: self.name, known: unknown.known)
    }
  }

  /// Tells the values below that all of their actions are handled.
  func requireEverything() throws(ScriptError) {
    guard !isWholeHandledAbove else { return }
    isWholeHandledAbove = true
    for child in children.values { try child.require(.everything) }
  }

  /// The first segment of an action's path that no reducer here or in the children handles, and the
  /// nearest known name. Nil if all segments are handled. Makes lazy children.
  func unhandled(_ path: ArraySlice<ActionPath.Segment>) -> (name: String, nearest: String?)? {
    guard let name = path.first?.name else { return nil }
    if root.isValue { return typesFromParents.unknown(path).map { ($0.name, $0.nearest) } }
    let number = types.number(of: name)
    if name == "binding", path.count > 1, number == unhandledBinding || number < 0 {
      // The segments behind `binding` are a key of the state.
      return unhandledBinding >= 0 || !acceptsAllTypes
        ? (path.map(\.name).joined(separator: "."), nil) : nil
    }
    guard number >= 0 else {
      return acceptsAllTypes ? nil : (name, Suggestion.nearest(to: name, in: types.names))
    }
    let rest = path.dropFirst()
    if let child = children[number] { return child.unhandled(rest) }
    return unknownNested(rest, in: number).map { ($0.name, $0.nearest) }
  }

  /// The first segment that is not known below one of the domain's own types, and what is known there.
  private func unknownNested(
    _ path: ArraySlice<ActionPath.Segment>, in number: Int
  ) -> KnownTypes.Unknown? {
    // The segments behind `binding` are a key of the state.
    if acceptsAllTypes || number == types.number(of: "binding") { return nil }
    return nestedTypes[number].unknown(path)
  }
}
