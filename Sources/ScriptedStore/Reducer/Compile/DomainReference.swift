import LuaBridge

/// A reference from an operator to its child's domain.
///
///     init(domain) ─────────────────────────────▶ made
///     init(make): unmade ── first use: make() ──▶ made
///
/// 1. While the reference is unmade, it stores the checks that the parent asks for. They run when
///    the domain is made. Making the domain earlier would not end if a feature contains itself.
/// 2. If `make` or a check throws, the reference stays unmade, and the next use tries again.
final class DomainReference {
  /// The domain; nil while the reference is unmade.
  private(set) var made: Domain?
  /// Whether a function stands for the child, so that the child may contain itself.
  let isLazy: Bool
  private let make: () throws(ScriptError) -> Domain
  /// The checks of the domain, until it is made.
  private var pending: [(Domain) throws(ScriptError) -> Void] = []
  /// The operator's own action types, as `dismiss` of `ifLet`.
  private(set) var ownTypes: [String] = []

  init(_ make: @escaping () throws(ScriptError) -> Domain) {
    self.make = make
    isLazy = true
  }

  init(_ domain: Domain) {
    made = domain
    make = { () throws(ScriptError) in domain }
    isLazy = false
  }

  func domain() throws(ScriptError) -> Domain {
    if let made { return made }
    return try makeDomain()
  }

  @inline(never)
  private func makeDomain() throws(ScriptError) -> Domain {
    let domain = try make()
    for check in pending { try check(domain) }
    pending = []
    made = domain
    return domain
  }

  /// Runs a check of the domain now, or when it is made (invariant 1).
  private func check(
    _ check: @escaping (Domain) throws(ScriptError) -> Void
  ) throws(ScriptError) {
    guard let made else { return pending.append(check) }
    try check(made)
  }

  /// Reduces an action of the child. The action is borrowed (+0).
  @inline(__always)
  func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    try domain().reduce(context, draft, action)
  }

  /// Sets the operator's own action types. Throws if the child has the type `refused`.
  func reserve(
    _ types: [String], refusing refused: String? = nil, origin: String
  ) throws(ScriptError) {
    ownTypes = types
    guard let refused else { return }
    try check { (domain) throws(ScriptError) in
      guard domain.vocabulary.number(of: refused) >= 0 else { return }
      throw ScriptError(
        "\(origin): \(domain.name) has an action named \"\(refused)\", which is the operator's own; give it another name"
      )
    }
  }

  /// Declares that the operator never dismisses ephemeral children.
  func declareUndismissed(by origin: String) throws(ScriptError) {
    try check { (domain) throws(ScriptError) in try domain.declareUndismissed(by: origin) }
  }

  /// The child's root if it may have something to settle. Makes the child, unless it is made
  /// already.
  var rootToSettle: ReducerNode? {
    guard let root = domainOrNil?.root, root.settles else { return nil }
    return root
  }

  /// Whether the child may have something to settle or inspect. `draft` is the draft of its state.
  func isAffected(_ context: ReduceContext, _ draft: Int32) -> Bool {
    made?.root.isAffected(context, draft) ?? true
  }

  /// Throws if the domain does not know what the pattern names.
  func require(_ pattern: KnownPattern) throws(ScriptError) {
    if let type = pattern.rest.first?.name, ownTypes.contains(type) { return }
    try check { (domain) throws(ScriptError) in
      try domain.vocabulary.require(pattern, in: domain.name)
    }
  }

  /// ``ActionVocabulary/unhandled(_:)`` of the child, where the operator's own types count as handled.
  func unhandled(_ path: ArraySlice<ActionPath.Segment>) -> ActionVocabulary.Unknown? {
    if let type = path.first?.name, ownTypes.contains(type) { return nil }
    return domainOrNil?.vocabulary.unhandled(path)
  }

  /// Describes what the child shares of the container that is its state.
  func addShared(to fields: SharedFields, _ sharing: StoreSharing) {
    fields.add(isLazy: made == nil) { [self, unowned sharing] fields in
      domainOrNil?.root.addShared(to: fields, sharing)
    }
  }

  /// The domain, made now if it was not; nil if it cannot be made. The first action for the child throws the error.
  var domainOrNil: Domain? { try? domain() }
}
