import LuaBridge

/// A child's domain, made on first use where a script gave a function, so that features may recurse.
final class DomainReference {
  private var made: Domain?
  /// The same, to be used without counting a reference.
  private var borrowed: Unmanaged<Domain>?
  /// Whether a script gave a function for it, so that it may be one that it is inside of.
  let isLazy: Bool
  private let make: () throws(ScriptError) -> Domain
  /// Of the script's function that makes it.
  private let number: LazyReducers.Number?
  /// What the domain has to know.
  private var patterns: [KnownPattern] = []
  /// Types of the operator's own, as `dismiss` is of `ifLet`.
  private var ownTypes: [String] = []
  /// The one of them that the child may not have too, and where the operator was made.
  private var refusal: (type: String, origin: String)?
  /// Where an operator was made that lets go of nothing.
  private var keeper: String?

  /// - Parameter number: of the script's function that this calls, if it is one.
  init(
    _ number: LazyReducers.Number? = nil, _ make: @escaping () throws(ScriptError) -> Domain
  ) {
    self.make = make
    self.number = number
    isLazy = true
  }

  init(_ domain: Domain) {
    made = domain
    borrowed = .passUnretained(domain)
    make = { () throws(ScriptError) in domain }
    number = nil
    isLazy = false
  }

  func domain() throws(ScriptError) -> Domain {
    if let made { return made }
    return try makeDomain()
  }

  @inline(never)
  private func makeDomain() throws(ScriptError) -> Domain {
    let domain = try make()
    try checkRefusal(of: domain)
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
  ) throws(ScriptError) -> ReturnedEffects {
    if let borrowed {
      return try borrowed.borrow { (domain) throws(ScriptError) in
        try domain.reduce(context, draft, action)
      }
    }
    return try reduceFirst(context, draft, action)
  }

  @inline(never)
  private func reduceFirst(
    _ context: ReduceContext, _ draft: Int32, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    try domain().reduce(context, draft, action)
  }

  /// The operator has actions of its own beside the child's, of which the child may not have `refused`.
  func reserve(
    _ types: [String], refusing refused: String? = nil, origin: String
  ) throws(ScriptError) {
    ownTypes = types
    refusal = refused.map { ($0, origin) }
    if let made { try checkRefusal(of: made) }
  }

  /// The operator lets go of nothing that is ephemeral.
  func keepEphemeral(origin: String) throws(ScriptError) {
    keeper = origin
    if let made { try checkRefusal(of: made) }
  }

  private func checkRefusal(of domain: Domain) throws(ScriptError) {
    if let keeper { try domain.keepEphemeral(by: keeper) }
    guard let (type, origin) = refusal, domain.knows(type) else { return }
    throw ScriptError(
      "\(origin): \(domain.name) has an action named \"\(type)\", which is the operator's own; give it another name"
    )
  }

  /// As ``Domain/ephemeralCase(of:)``, of a child that was made.
  @inline(__always)
  func ephemeralCase(of type: Slot) -> String? {
    borrowed?._withUnsafeGuaranteedRef { $0.hasEphemeral ? $0.ephemeralCase(of: type) : nil }
  }

  /// Adds what settles in the child.
  func add(to settling: inout Settling) {
    if let number {
      settling.functions.append(number)
    } else if isLazy {
      settling.isOpen = true
    } else {
      made?.root.add(to: &settling)
    }
  }

  /// The child's reducer (made where a state is to be settled), if there may be something to settle.
  func rootToSettle(_ context: ReduceContext) -> ReducerNode? {
    if let made { return made.root.settles(context) ? made.root : nil }
    guard let root = domainOfState?.root, root.settles(context) else { return nil }
    return root
  }

  /// Whether something may have to be settled or inspected in the child, whose state has the draft.
  func isAffected(_ context: ReduceContext, _ draft: Int32) -> Bool {
    made?.root.isAffected(context, draft) ?? true
  }

  /// Checks now or on first use: making the domain here would not end where a feature recurses.
  func require(_ pattern: KnownPattern) throws(ScriptError) {
    if let type = pattern.rest.first?.name, ownTypes.contains(type) { return }
    if let made { try made.require(pattern) } else { patterns.append(pattern) }
  }

  /// As ``Domain/unhandled(_:)``, beside the operator's own types.
  func unhandled(_ path: ArraySlice<ActionPath.Segment>) -> (name: String, nearest: String?)? {
    if let type = path.first?.name, ownTypes.contains(type) { return nil }
    return domainOfState?.unhandled(path)
  }

  /// The domain if it was needed before.
  var madeDomain: Domain? { made }

  /// The domain of a child that has state to look at. One that cannot be made says so when an action needs it.
  var domainOfState: Domain? { try? domain() }
}
