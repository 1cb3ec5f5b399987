import LuaSyntax

/// Features of a script, as indices into ``ScriptAnalysis/features``.
typealias FeatureSet = Set<Int>

/// The features that the functions of a script work for, what their parameters are (`state`, `send`,
/// `deps`, or what a view may only read), and which of them draw rows.
///
/// All this is known of the functions of a feature, and is propagated through calls to other functions
/// of the script. It only grows, and the sets are finite, so the propagation ends.
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
  /// The functions that draw the rows of data, and those that they call. What is bound there are fields of
  /// the row.
  private var rowFunctions: Set<ObjectIdentifier> = []
  /// The parameters with what views get, which they may only read: `its state`, `env` or `an element`.
  private var readOnly: [ObjectIdentifier: String] = [:]
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

  /// Whether a function draws the rows of data, or is written inside of one that does.
  func isInRow(_ body: LuaFunctionBody) -> Bool {
    body.enclosing.contains { rowFunctions.contains(ObjectIdentifier($0)) }
  }

  /// What a write to a place would change of what a view may only read, as `its state` for
  /// `state.todos[1].title`; nil for a place that may be another one.
  func readOnlyName(of place: LuaExpression) -> String? {
    var current = place.resolved
    for _ in 0..<LuaExpression.maximumSteps {
      switch current.kind {
      case .index(let base, _): current = base.resolved
      case .local(let variable):
        guard let list = variable.elementOf, !variable.isAssigned else {
          return readOnly[ObjectIdentifier(variable)]
        }
        current = list.resolved
      default: return nil
      }
    }
    return nil
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
    addReadOnly(["its state", "env"], to: body)
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

  private mutating func addReadOnly(_ names: [String?], to body: LuaFunctionBody) {
    for (parameter, name) in zip(body.parameters, names) where !parameter.isAssigned {
      let key = ObjectIdentifier(parameter)
      guard let name, readOnly[key] == nil else { continue }
      readOnly[key] = name
      hasChanged = true
    }
  }

  private mutating func addRows(_ function: LuaExpression?) {
    guard let body = function?.functionLiteral else { return }
    if rowFunctions.insert(ObjectIdentifier(body)).inserted { hasChanged = true }
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

  /// Propagates from `effect.run` to the function of the effect, from `ui.forEach` to that of the rows, and
  /// from arguments to the parameters of a function of this script.
  private mutating func propagate(through call: LuaExpression) {
    let isInRow = isInRow(call.function)
    if isInRow, case .method(_, _, let arguments) = call.kind {
      for argument in arguments { addRows(argument) }
    }
    guard case .call(let callee, let arguments) = call.kind else { return }
    let features = features(of: call.function)
    let reference = LuaReference(callee)
    if reference == .scripted("effect", "run") {
      addEffect(arguments.first, of: features, send: 0)
      if arguments.count > 1 {
        addEffect(arguments[1].tableLiteral?.field("catch"), of: features, send: 1)
      }
    } else if reference == .ui("forEach"), let body = arguments.last?.functionLiteral {
      if !features.isEmpty { addFeatures(features, to: body) }
      addRows(arguments.last)
      // Of a range the function gets a number, which has no fields.
      addReadOnly(["an element"], to: body)
    }
    if isInRow { for part in [callee] + arguments { addRows(part) } }
    guard let body = callee.functionLiteral else { return }
    addFeatures(features, to: body)
    addReadOnly(arguments.map(readOnlyName), to: body)
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
