import LuaBridge

/// The reducers that share one state and one set of action types: what `combine` and the operators
/// join, and what a child of `scope` or `forEach` is.
final class Domain {
  let root: ReducerNode
  private let types: NameTable
  /// Some reducer takes any type.
  private let knowsAll: Bool
  /// Below each type, by number: what is known of a group of the feature's own.
  private let known: [KnownTypes]
  /// By type: nothing is left to check.
  private let isKnown: [Bool]
  /// Children by the number of their action's type.
  let children: [Int: DomainReference]
  /// Of the first feature, which stands for all in messages.
  let name: String
  private let origin: String

  init(_ builder: consuming DomainBuilder, root: ReducerNode) {
    self.root = root
    types = builder.types
    knowsAll = builder.knowsAll
    known = builder.known
    isKnown = builder.known.map(\.isWhole)
    children = builder.children
    name = builder.name ?? root.origin
    origin = builder.origin ?? root.origin
    builder.bare.takesAll = builder.knowsAll
  }

  /// Reduces an action (+0) for this domain.
  @inline(__always)
  func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: Slot
  ) throws(ScriptError) -> Effect {
    let type = context.keys.type.value(in: action)
    guard type.tag == .string else { return notAnAction(context) }
    let number = types.number(of: type.stringBytes)
    if !knowsAll && (number < 0 || !isKnown[number]) { check(action, number, context) }
    return try root.reduce(context, draft, ActionCursor(slot: action, type: number))
  }

  private func notAnAction(_ context: ReduceContext) -> Effect {
    context.warn(
      .malformedAction,
      "what \(name) got as its action is not a table with a type\(place(context))", origin: origin)
    return .none
  }

  private func check(_ action: Slot, _ number: Int, _ context: ReduceContext) {
    guard number >= 0 else {
      unknown(action.field("type"), among: types.names, context)
      return
    }
    // A group of the feature's own: follow it as far as it is known.
    var level = known[number]
    var nested = action.field("action")
    while !level.isWhole, nested.isContainer {
      let type = nested.field("type")
      guard type.tag == .string else { return }
      let name = String(decoding: type.stringBytes, as: UTF8.self)
      guard let next = level.below[name] else {
        unknown(type, among: Array(level.below.keys), context)
        return
      }
      level = next
      nested = nested.field("action")
    }
  }

  private func unknown(_ type: Slot, among names: [String], _ context: ReduceContext) {
    let unknown = String(decoding: type.stringBytes, as: UTF8.self)
    var message = "\(name) has no handler for the action \"\(unknown)\""
    if let nearest = Suggestion.nearest(to: unknown, in: names) {
      message += "; did you mean \"\(nearest)\"?"
    } else {
      message += "; if it is meant for a parent, list it in `actions`"
    }
    context.warn(.unknownAction, message + place(context), origin: origin)
  }

  /// What a message ends with: whose it is, and the whole action.
  private func place(_ context: ReduceContext) -> String {
    let action = context.actionPath.map { "the action \"\($0)\"" } ?? "no action"
    return name == origin ? " (\(action))" : " (\(origin), \(action))"
  }

  /// Raises if a name of the pattern is one that nothing here or in the children knows. What a child that is
  /// not made yet knows is asked once it is.
  func require(_ pattern: KnownPattern) throws(ScriptError) {
    guard let segment = pattern.rest.first else { return }
    let number = types.number(of: segment.name)
    guard number >= 0 else {
      if knowsAll { return }
      throw pattern.failure(
        at: segment.name, nearest: Suggestion.nearest(to: segment.name, in: types.names))
    }
    guard pattern.rest.count > 1, let child = children[number] else { return }
    var below = pattern
    below.rest.removeFirst()
    try child.require(below)
  }
}

/// A pattern of a feature's `on` that reaches into children, which must know what it names.
struct KnownPattern {
  /// What the domain that is asked must know.
  var rest: ArraySlice<ActionPath.Segment>
  let text: String
  let feature: String
  /// Of the handler.
  let script: String
  let line: Int

  func failure(at name: String, nearest: String?) -> ScriptError {
    let remedy = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
    return ScriptError(
      "the pattern \"\(text)\" of \(feature) names \"\(name)\", which no reducer there handles"
        + remedy, script: script, line: line)
  }
}

/// What is known below a type that is a group of the feature's own.
struct KnownTypes {
  /// Anything below it is.
  var isWhole: Bool
  var below: [String: KnownTypes] = [:]

  mutating func add(_ path: ArraySlice<String>) {
    guard let first = path.first else {
      isWhole = true
      return
    }
    below[first, default: KnownTypes(isWhole: false)].add(path.dropFirst())
  }
}

/// A child's domain, made on first use where a script gave a function, so that features may recurse.
final class DomainReference {
  private var made: Domain?
  /// The same, to be used without counting a reference.
  private var borrowed: Unmanaged<Domain>?
  private let make: () throws(ScriptError) -> Domain
  /// What the domain has to know.
  private var patterns: [KnownPattern] = []

  init(_ make: @escaping () throws(ScriptError) -> Domain) { self.make = make }

  init(_ domain: Domain) {
    made = domain
    borrowed = .passUnretained(domain)
    make = { () throws(ScriptError) in domain }
  }

  func domain() throws(ScriptError) -> Domain {
    if let made { return made }
    return try makeDomain()
  }

  private func makeDomain() throws(ScriptError) -> Domain {
    let domain = try make()
    for pattern in patterns { try domain.require(pattern) }
    patterns = []
    made = domain
    borrowed = .passUnretained(domain)
    return domain
  }

  /// Reduces an action (+0) for the child.
  @inline(__always)
  func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: Slot
  ) throws(ScriptError) -> Effect {
    if let borrowed {
      return try borrowed.borrow { (domain) throws(ScriptError) in
        try domain.reduce(context, draft, action)
      }
    }
    return try domain().reduce(context, draft, action)
  }

  /// Checks now or on first use: making the domain here would not end where a feature recurses.
  func require(_ pattern: KnownPattern) throws(ScriptError) {
    if let made { try made.require(pattern) } else { patterns.append(pattern) }
  }

  /// The domain if it was needed before.
  var madeDomain: Domain? { made }

  /// The domain of a child that has state to look at. One that cannot be made says so when an action needs it.
  var domainOfState: Domain? { try? domain() }
}

/// The types that reducers of a domain handle without a nested action: an operator's action that has none for
/// the child is a mistake, unless its type is one of them.
final class BareTypes {
  private var numbers: Set<Int> = []
  var takesAll = false

  func add(_ number: Int) { numbers.insert(number) }

  /// Warns of an operator's action without an action (+0) for the child that is a table.
  func warn(
    _ context: ReduceContext, _ nested: Slot, _ type: Int, like example: String, _ origin: String
  ) {
    if nested.isAbsent && (takesAll || numbers.contains(type)) { return }
    let reason =
      nested.isAbsent
      ? "has none for the child" : "has one for the child that is no table: \(Value(borrowing: nested))"
    context.warn(
      .malformedAction,
      """
      \(origin): the action \"\(context.actionPath ?? example)\" \(reason); send it as \"\(example)\", or \
      with a table { type = … } in its field `action`
      """, origin: origin)
  }
}

/// Collects what the reducers of one domain have in common while they are compiled.
struct DomainBuilder: ~Copyable {
  let types = NameTable()
  var knowsAll = false
  var known: [KnownTypes] = []
  var children: [Int: DomainReference] = [:]
  /// Of the first feature.
  var name: String?
  var origin: String?
  let bare = BareTypes()
  /// To be checked once the domain is complete.
  var patterns: [KnownPattern] = []
  /// Operators' origins by the number of their action's type.
  private var operators: [Int: String] = [:]

  /// The number of a type; `path` are the nested types under it that are known, all if empty.
  mutating func type(_ name: String, known path: ArraySlice<String> = []) -> Int {
    let number = types.add(name)
    if number == known.count { known.append(KnownTypes(isWhole: false)) }
    known[number].add(path)
    return number
  }

  /// The number of the type of an operator's actions, which no other operator of the domain may have.
  mutating func child(
    _ name: String, _ child: DomainReference, origin: String
  ) throws(ScriptError) -> Int {
    let number = type(name)
    if let other = operators[number] {
      throw ScriptError(
        "two operators have the action name \"\(name)\": \(other) and \(origin); "
          + "give one another name with { action = \"…\" }")
    }
    operators[number] = origin
    children[number] = child
    return number
  }

  /// Whether an operator that is compiled already has this action name.
  func hasChild(_ name: String) -> Bool {
    let number = types.number(of: name)
    return number >= 0 && children[number] != nil
  }
}
