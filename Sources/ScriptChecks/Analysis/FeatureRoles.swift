/// Features of a script, as indices into ``ScriptAnalysis/features``.
typealias FeatureSet = Set<Int>

/// The features that the functions of a script work for, and the parameters that are their `state`,
/// `send` and `deps`.
///
/// Both are known of the handlers of a feature, and are propagated through calls to other functions
/// of the script. They only grow, and the sets are finite, so the propagation ends.
struct FeatureRoles {
  enum Role {
    case state(FeatureSet)
    case send(FeatureSet)
    case deps(FeatureSet, isOpen: Bool)
  }

  private var features: [ObjectIdentifier: FeatureSet] = [:]
  private var roles: [ObjectIdentifier: Role] = [:]
  /// The functions that a feature or `onChange` calls with a state.
  private var handlers: Set<ObjectIdentifier> = []
  /// The functions that draw a state, in the order of the text.
  private(set) var viewFunctions: [LuaFunctionBody] = []
  /// The functions of effects.
  private var bodies: Set<ObjectIdentifier> = []
  private var hasChanged = false

  // MARK: Queries

  /// The features whose handlers call or contain a function: those of the function, or of the
  /// closest enclosing function that has any. Empty if no feature is known.
  func features(of body: LuaFunctionBody) -> FeatureSet {
    for body in body.enclosing {
      if let features = features[ObjectIdentifier(body)] { return features }
    }
    return []
  }

  /// The role of the variable that an expression refers to.
  func role(_ expression: LuaExpression) -> Role? {
    let expression = expression.resolved
    return switch expression.kind {
    // A parameter has no initial value, so `resolved` stops at it.
    case .local(let variable): roles[ObjectIdentifier(variable)]
    // A stub gets `deps` as `...`.
    case .varargs where expression.function.isMain: .deps([], isOpen: true)
    default: nil
    }
  }

  func isHandler(_ body: LuaFunctionBody) -> Bool { handlers.contains(ObjectIdentifier(body)) }

  /// Whether a function is a view, or is written inside of one.
  func isInView(_ body: LuaFunctionBody) -> Bool {
    body.enclosing.contains { body in viewFunctions.contains { $0 === body } }
  }

  /// Whether a function is the body of an effect, or is written inside of one.
  func isBody(_ body: LuaFunctionBody) -> Bool {
    body.enclosing.contains { bodies.contains(ObjectIdentifier($0)) }
  }

  // MARK: Growing

  /// Makes a function a handler of a feature, whose first parameter is the state, and whose
  /// parameter at the index `deps` is `deps`.
  mutating func addHandler(_ handler: LuaExpression?, of feature: Int, deps: Int) {
    guard let body = handler?.functionLiteral else { return }
    handlers.insert(ObjectIdentifier(body))
    addFeatures([feature], to: body)
    addRole(.state([feature]), to: body, at: 0)
    addRole(.deps([feature], isOpen: false), to: body, at: deps)
  }

  /// Makes a function a view of features, whose first parameter is the state. Without features it may
  /// be the view of any.
  mutating func addView(_ view: LuaExpression?, of features: FeatureSet) {
    guard let body = view?.functionLiteral else { return }
    viewFunctions.append(body)
    guard !features.isEmpty else { return }
    addFeatures(features, to: body)
    addRole(.state(features), to: body, at: 0)
  }

  mutating func addRole(_ role: Role, to body: LuaFunctionBody?, at index: Int) {
    guard let body, index < body.parameters.count, !body.parameters[index].isAssigned else {
      return
    }
    let key = ObjectIdentifier(body.parameters[index])
    switch (roles[key], role) {
    case (nil, _): roles[key] = role
    case (.state(let known)?, .state(let new)):
      if new.isSubset(of: known) { return }
      roles[key] = .state(known.union(new))
    case (.send(let known)?, .send(let new)):
      if new.isSubset(of: known) { return }
      roles[key] = .send(known.union(new))
    case (.deps(let known, let wasOpen)?, .deps(let new, let isOpen)):
      if new.isSubset(of: known) && (wasOpen || !isOpen) { return }
      roles[key] = .deps(known.union(new), isOpen: wasOpen || isOpen)
    default: return
    }
    hasChanged = true
  }

  private mutating func addFeatures(_ new: FeatureSet, to body: LuaFunctionBody) {
    let known = features[ObjectIdentifier(body), default: []]
    guard !new.isSubset(of: known) else { return }
    features[ObjectIdentifier(body)] = known.union(new)
    hasChanged = true
  }

  /// Propagates features and roles through calls until a pass changes nothing.
  mutating func propagate(through calls: [LuaExpression]) {
    repeat {
      hasChanged = false
      for call in calls { propagate(through: call) }
    } while hasChanged
  }

  /// Propagates from `effect.run` to the function of the effect, and from arguments to the
  /// parameters of a function of this script.
  private mutating func propagate(through call: LuaExpression) {
    guard case .call(let callee, let arguments) = call.kind else { return }
    let features = features(of: call.function)
    if LuaReference(callee) == .scripted("effect", "run") {
      addEffect(arguments.first, of: features, send: 0)
      if arguments.count > 1 {
        addEffect(arguments[1].tableLiteral?.field("catch"), of: features, send: 1)
      }
    }
    if LuaReference(callee) == LuaReference.ui("forEach"), !features.isEmpty {
      // The function of the rows.
      if let body = arguments.last?.functionLiteral { addFeatures(features, to: body) }
    }
    guard let body = callee.functionLiteral else { return }
    addFeatures(features, to: body)
    for (index, argument) in arguments.enumerated() {
      if let role = role(argument) { addRole(role, to: body, at: index) }
    }
  }

  /// Makes a function the body of an effect, with the parameters `send` and `deps` from an index
  /// on.
  private mutating func addEffect(
    _ function: LuaExpression?, of features: FeatureSet, send: Int
  ) {
    guard let body = function?.functionLiteral else { return }
    bodies.insert(ObjectIdentifier(body))
    addFeatures(features, to: body)
    addRole(.send(features), to: body, at: send)
    addRole(.deps(features, isOpen: false), to: body, at: send + 1)
  }
}
