import LuaBridge

/// The actions that the reducers of one domain know: the types of its handlers, with the nested types of
/// the feature's own groups, and the types of its children.
///
/// 1. The number of a type is its index in `types`, in the order in which the types were added.
/// 2. It is filled while the domain is compiled. After `complete(isValue:)`, only the domains around this
///    one add something: what they handle of a value that no reducer runs on, and which actions have to be
///    checked.
final class ActionVocabulary {
  private struct ActionType {
    /// The nested types that the domain's own handlers and `actions` name.
    var nested = Nested()
    /// Whether a reducer handles the type without a nested action.
    var isBare = false
    /// The child whose actions these are, and the origin of its operator.
    var child: (domain: DomainReference, origin: String)?
    /// Whether an action of this type may be unknown, or is one to warn of.
    var needsCheck = true
  }

  private var types: [ActionType] = []
  private var numbers = NameTable()
  /// Whether some reducer handles every type, as `reduce` does.
  var takesAll = false
  /// Whether some reducer writes bindings.
  var handlesBindings = false
  /// The number of the type `binding` if the domain accepts it, no reducer writes bindings, and no
  /// child has that type; else -1.
  private(set) var unhandledBinding = -1
  /// For a domain on whose state no reducer runs: the actions that the domains around it handle. For any
  /// other one nil, because its own reducers say which types are known.
  private var fromParents: Nested?
  /// Whether a domain around this one handles all of its actions.
  private var isWholeHandledAbove = false

  // MARK: Filling

  /// Returns the number of a type, which is added if it is new. `path` is a path of nested types below
  /// it that is handled; an empty one makes all of them known.
  func add(_ name: String, nested path: ArraySlice<String> = []) -> Int {
    let number = numbers.add(name)
    if number == types.count { types.append(ActionType()) }
    types[number].nested.add(path)
    return number
  }

  /// Adds a path of types that a reducer handles or lists. Returns the number of the first type.
  func add(handler path: [String]) -> Int {
    // A child knows its types itself.
    let nested = child(of: path[0]) == nil ? path.dropFirst() : []
    let number = add(path[0], nested: nested)
    if path.count == 1 { types[number].isBare = true }
    return number
  }

  /// Adds a child, and returns the number of its actions' type. Throws if another operator of the
  /// domain has that type.
  func add(
    child: DomainReference, named name: String, origin: String
  ) throws(ScriptError) -> Int {
    let number = add(name)
    if let other = types[number].child?.origin {
      throw ScriptError(
        "two operators have the action name \"\(name)\": \(other) and \(origin); "
          + "give one another name with { action = \"…\" }")
    }
    types[number].child = (child, origin)
    return number
  }

  /// Called when the domain's reducers are compiled.
  ///
  /// - Parameter isValue: whether no reducer runs on the domain's state.
  func complete(isValue: Bool) {
    fromParents = isValue ? Nested() : nil
    for number in types.indices {
      types[number].needsCheck = !takesAll && !types[number].nested.isWhole
    }
    guard !handlesBindings, takesAll || number(of: "binding") >= 0, child(of: "binding") == nil
    else { return }
    unhandledBinding = add("binding")
    types[unhandledBinding].needsCheck = true
  }

  /// Actions of this type are to be checked.
  func check(_ name: String) { types[number(of: name)].needsCheck = true }

  // MARK: Asking

  var names: [String] { numbers.names }

  func number(of name: String) -> Int { numbers.number(of: name) }

  /// The number of the type with these bytes; -1 if it is not known.
  @inline(__always)
  func number(of name: UnsafeRawBufferPointer) -> Int { numbers.number(of: name) }

  /// Whether an action with this number may be unknown, or is one to warn of.
  @inline(__always)
  func needsCheck(_ number: Int) -> Bool { number < 0 ? !takesAll : types[number].needsCheck }

  /// Whether a handler or `actions` names an action of this type for itself, and not only `reduce` takes it.
  func handles(_ name: String) -> Bool {
    let number = number(of: name)
    return number >= 0 && types[number].isBare
  }

  /// The child whose actions have this type; nil if there is none.
  func child(of type: String) -> DomainReference? {
    let number = number(of: type)
    return number < 0 ? nil : types[number].child?.domain
  }

  /// The types of the actions of the children.
  var childTypes: [String] { zip(types, names).filter { $0.0.child != nil }.map(\.1) }

  /// A type that is not known, and what is known in its place.
  struct Unknown {
    let name: String
    var known: [String] = []

    var nearest: String? { Suggestion.nearest(to: name, in: known) }
  }

  /// The type in an action (+0) that no reducer of the domain itself knows; nil if it knows them all.
  func unknown(in action: Slot, _ number: Int) -> Unknown? {
    guard number >= 0 else { return Unknown(name: action.field("type").text, known: names) }
    // A group of the feature's own: the nested types are checked as far as they are named.
    var level = types[number].nested
    var nested = action.field("action")
    while !level.isWhole, nested.isContainer, nested.field("type").tag == .string {
      let name = nested.field("type").text
      guard let next = level.below[TextKey(name)] else { return level.unknown(name) }
      level = next
      nested = nested.field("action")
    }
    return nil
  }

  /// The first segment of an action's path that no reducer here or in the children handles; nil if all
  /// segments are handled. Makes lazy children.
  func unhandled(_ path: ArraySlice<ActionPath.Segment>) -> Unknown? {
    guard let name = path.first?.name else { return nil }
    if let fromParents { return fromParents.unknown(path) }
    let number = number(of: name)
    if name == "binding", path.count > 1, number == unhandledBinding || number < 0 {
      // The segments behind `binding` are a key of the state.
      return unhandledBinding >= 0 || !takesAll
        ? Unknown(name: path.map(\.name).joined(separator: ".")) : nil
    }
    guard number >= 0 else { return takesAll ? nil : Unknown(name: name, known: names) }
    let rest = path.dropFirst()
    if let child = types[number].child { return child.domain.unhandled(rest) }
    return unknownNested(rest, in: number)
  }

  /// The first segment that is not known below one of the domain's own types.
  private func unknownNested(
    _ path: ArraySlice<ActionPath.Segment>, in number: Int
  ) -> Unknown? {
    // The segments behind `binding` are a key of the state.
    if takesAll || names[number] == "binding" { return nil }
    return types[number].nested.unknown(path)
  }

  /// Warns of an operator's action whose field `action` is no table, which is `nested`, borrowed (+0).
  /// An absent field is no mistake if a reducer handles the type without a nested action.
  @inline(never)
  func warnOfNested(
    _ nested: Slot, inTypeOf child: NodeChild, _ context: ReduceContext
  ) {
    if nested.isAbsent && (takesAll || types[child.type].isBare) { return }
    let reason =
      nested.isAbsent
      ? "has none for the child"
      : "has one for the child that is no table: \(Value(borrowing: nested))"
    let example = child.exampleAction
    context.warn(
      .malformedAction,
      """
      \(child.origin): the action \"\(context.actionPath ?? example)\" \(reason); send it as \"\(example)\", or \
      with a table { type = … } in its field `action`
      """, origin: child.origin)
  }

  // MARK: What the domains around this one handle

  /// Throws if neither this domain nor its children know a segment of the pattern. A lazy child is
  /// checked when it is made. A value that no reducer runs on learns its types from the pattern.
  ///
  /// - Parameter domain: the name of this domain, for the error.
  func require(_ pattern: KnownPattern, in domain: String) throws(ScriptError) {
    if fromParents != nil {
      fromParents?.add(pattern.rest.map(\.name)[...])
      return
    }
    guard let name = pattern.rest.first?.name else { return try requireEverything() }
    let number = number(of: name)
    guard number >= 0 else {
      if takesAll || pattern.handler == nil { return }
      throw pattern.failure(at: Unknown(name: name, known: names), in: domain)
    }
    var below = pattern
    below.rest.removeFirst()
    if let child = types[number].child { return try child.domain.require(below) }
    if pattern.handler != nil, let unknown = unknownNested(below.rest, in: number) {
      throw pattern.failure(at: unknown, in: domain)
    }
  }

  /// Tells the values below that all of their actions are handled.
  func requireEverything() throws(ScriptError) {
    guard !isWholeHandledAbove else { return }
    isWholeHandledAbove = true
    for type in types { try type.child?.domain.require(.everything) }
  }

  /// The nested types that are known below a type.
  private struct Nested {
    /// Whether all nested types are known.
    var isWhole = false
    var below = [TextKey: Nested]()

    func unknown(_ name: String) -> Unknown {
      Unknown(name: name, known: below.keys.map(\.text))
    }

    /// The first segment of a path that is not known; nil if all segments are known.
    func unknown(_ path: ArraySlice<ActionPath.Segment>) -> Unknown? {
      guard !isWhole, let name = path.first?.name else { return nil }
      guard let next = below[TextKey(name)] else { return unknown(name) }
      return next.unknown(path.dropFirst())
    }

    mutating func add(_ path: ArraySlice<String>) {
      guard let first = path.first else {
        isWhole = true
        return
      }
      below[TextKey(first), default: Nested()].add(path.dropFirst())
    }
  }
}

/// A pattern of a feature's `on`, or an entry of its `actions`. The children must know the types that a
/// pattern names; a value that no reducer runs on learns them from it.
struct KnownPattern {
  /// The segments that a domain must know. Its child gets those behind the child's type. None stand for
  /// all actions of the domain.
  var rest: ArraySlice<ActionPath.Segment>
  let text: String
  let feature: String
  /// The source line of the handler; nil for what children need not know: an entry of `actions`, and
  /// ``everything``.
  let handler: (script: String, line: Int)?

  /// What a reducer handles that takes all actions, as `reduce` does.
  static let everything = KnownPattern(rest: [], text: "", feature: "", handler: nil)

  /// - Parameter domain: the name of the child that does not know the segment.
  func failure(at unknown: ActionVocabulary.Unknown, in domain: String) -> ScriptError {
    let message =
      "the pattern \"\(text)\" of \(feature) names \"\(unknown.name)\", which no reducer there handles"
    let names = unknown.known.sorted()
    let remedy =
      if let nearest = Suggestion.nearest(to: unknown.name, in: names) {
        "; did you mean \"\(nearest)\"?"
      } else if names.isEmpty {
        "; \(domain) has no actions"
      } else {
        "; \(domain) has \(names.prefix(8).joined(separator: ", "))\(names.count > 8 ? ", …" : ""). "
          + "An action that only a parent handles is listed in the child's `actions`"
      }
    return ScriptError(message + remedy, script: handler?.script, line: handler?.line)
  }
}
