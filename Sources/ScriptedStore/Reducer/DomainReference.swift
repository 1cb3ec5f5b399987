import LuaBridge

/// A child's domain, made on first use where a script gave a function, so that features may recurse.
final class DomainReference {
  private var made: Domain?
  /// The same, to be used without counting a reference.
  private var borrowed: Unmanaged<Domain>?
  /// Whether a script gave a function for it, so that it may be one that it is inside of.
  let isLazy: Bool
  private let make: () throws(ScriptError) -> Domain
  /// What the domain has to know.
  private var patterns: [KnownPattern] = []
  /// Types of the operator's own, as `dismiss` is of `ifLet`.
  private var ownTypes: [String] = []
  /// The one of them that the child may not have too, and where the operator was made.
  private var refusal: (type: String, origin: String)?

  init(_ make: @escaping () throws(ScriptError) -> Domain) {
    self.make = make
    isLazy = true
  }

  init(_ domain: Domain) {
    made = domain
    borrowed = .passUnretained(domain)
    make = { () throws(ScriptError) in domain }
    isLazy = false
  }

  func domain() throws(ScriptError) -> Domain {
    if let made { return made }
    return try makeDomain()
  }

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
    return try domain().reduce(context, draft, action)
  }

  /// The operator has actions of its own beside the child's, of which the child may not have `refused`.
  func reserve(
    _ types: [String], refusing refused: String? = nil, origin: String
  ) throws(ScriptError) {
    ownTypes = types
    refusal = refused.map { ($0, origin) }
    if let made { try checkRefusal(of: made) }
  }

  private func checkRefusal(of domain: Domain) throws(ScriptError) {
    guard let (type, origin) = refusal, domain.knows(type) else { return }
    throw ScriptError(
      "\(origin): \(domain.name) has an action named \"\(type)\", which is the operator's own; give it another name"
    )
  }

  /// Whether what it settles is to be looked for; true as long as it is not made.
  var settles: Bool { made?.root.settles ?? true }

  /// Checks now or on first use: making the domain here would not end where a feature recurses.
  func require(_ pattern: KnownPattern) throws(ScriptError) {
    if let type = pattern.rest.first?.name, ownTypes.contains(type) { return }
    if let made { try made.require(pattern) } else { patterns.append(pattern) }
  }

  /// The domain if it was needed before.
  var madeDomain: Domain? { made }

  /// The domain of a child that has state to look at. One that cannot be made says so when an action needs it.
  var domainOfState: Domain? { try? domain() }
}
