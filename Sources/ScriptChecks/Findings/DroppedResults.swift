import LuaBridge
import LuaSyntax
import ScriptedStore

/// Effects, reducers and states that a script makes and drops: calls that stand as statements, a second
/// returned effect, a table in place of the state, and a script that does not return its
/// feature.
///
/// Effects and reducers are values. Making one has no other consequence than its result.
extension ScriptFindings {
  mutating func findDroppedResults() {
    var dropsFeature = false
    for call in analysis.chunk.statements {
      // What a view does with effects is another finding.
      if let name = effect(call) {
        // A test may make an effect to see that this raises.
        if !isInTestOrView(call) { check(effect: name, call) }
      } else if let name = functionOfEffects(call) {
        if !isInTestOrView(call) {
          add(
            .droppedResult, at: call.position,
            "the effect that \(name) returns is dropped, so it never runs",
            "return it, several with effect.merge(a, b)")
        }
      } else if role != .test, let node = ViewNodeUse(call, analysis.roles) {
        add(
          .droppedResult, at: call.position, "the node that ui.\(node.kind) returns is dropped",
          "return it, or put it among the children of another node")
      } else if role != .test, let name = reducer(call) {
        add(
          .droppedResult, at: call.position, "the reducer that \(name) returns is dropped",
          name.hasPrefix("scripted.")
            ? "return it, or assign it to a local"
            : "return it: operators leave their reducer as it is")
        dropsFeature = dropsFeature || call.function.isMain
      }
    }
    for variable in analysis.chunk.variables where !variable.isUsed && !variable.isUnnamed {
      guard let call = variable.initial, let name = effect(call), !isInTestOrView(call) else {
        continue
      }
      add(
        .droppedResult, at: call.position,
        "the effect that effect.\(name) returns stays in the local '\(variable.name)', so it never runs",
        "return it, several with effect.merge(a, b)")
    }
    for statement in analysis.chunk.returns { checkReturned(statement) }
    for assignment in analysis.chunk.assignments { checkAssigned(assignment) }
    if role == .module && !dropsFeature { checkReturn() }
  }

  // MARK: Effects

  /// The name of the function of `effect` that made the effect which an expression is, perhaps with
  /// methods behind it; nil if the expression may be anything else.
  private func effect(_ expression: LuaExpression) -> String? {
    guard case .call(let callee, _) = expression.methodRoot.kind,
      let reference = LuaReference(callee), reference.root == .module("scripted"),
      reference.fields.count == 2, reference.fields[0] == "effect",
      let kind = EffectKind(rawValue: reference.fields[1]), kind.method == nil
    else { return nil }
    return kind.rawValue
  }

  /// The name of the local function that a statement calls, if all that it returns are effects.
  /// `effect.cancel` is none here, as it acts at once inside of an effect.
  private func functionOfEffects(_ call: LuaExpression) -> String? {
    guard case .call(let callee, _) = call.methodRoot.kind, let body = callee.functionLiteral,
      case .local(let variable) = callee.kind
    else { return nil }
    let values = analysis.chunk.returns.filter { $0.function === body }.compactMap(\.values.first)
    let areEffects = values.allSatisfy { value in
      effect(value.resolved).map { $0 != "cancel" } ?? false
    }
    return areEffects && !values.isEmpty ? variable.name : nil
  }

  /// A test may make an effect to see what it is, and what a view does with effects is another finding.
  private func isInTestOrView(_ call: LuaExpression) -> Bool {
    role == .test && analysis.roles.features(of: call.function).isEmpty
      || analysis.roles.isInView(call.function)
  }

  /// What the function of an effect does in place of making these effects.
  private static let remediesInBody = [
    "send": "inside an effect call send(…)",
    "alarm": "inside an effect send an action, whose handler returns it",
    "cancelAlarm": "inside an effect send an action, whose handler returns it",
  ]

  private mutating func check(effect name: String, _ call: LuaExpression) {
    let isHandler = analysis.roles.isHandler(call.function)
    // Inside an effect, `effect.cancel` acts at once.
    if name == "cancel" && !isHandler { return }
    let isBody = analysis.roles.isBody(call.function)
    add(
      .droppedResult, at: call.position,
      "the effect that effect.\(name) returns is dropped, so it never runs",
      (isBody ? Self.remediesInBody[name] : nil) ?? "return it, several with effect.merge(a, b)")
  }

  private mutating func checkReturned(_ statement: LuaChunk.Return) {
    guard analysis.roles.isHandler(statement.function), statement.values.count > 1,
      let second = statement.values.dropFirst().first(where: { effect($0.resolved) != nil })
    else { return }
    add(
      .droppedResult, at: second.position, "a handler returns one effect, so this one is dropped",
      "return effect.merge(a, b)")
  }

  // MARK: States

  /// A handler that assigns a table to its parameter `state` changes a local.
  private mutating func checkAssigned(
    _ assignment: (target: LuaExpression, value: LuaExpression)
  ) {
    let (target, value) = assignment
    guard case .local(let variable) = target.kind, value.tableLiteral != nil,
      analysis.roles.isHandler(target.function), target.function.parameters.first === variable
    else { return }
    add(
      .droppedResult, at: target.position,
      "this assigns a table to the handler's parameter, so the state stays as it is",
      "assign its fields, as in state.count = 0, or call scripted.replace(state, { … })")
  }

  // MARK: Reducers

  /// The name of the function or operator that made the reducer which a call returns; nil if the
  /// call may return anything else.
  private func reducer(_ call: LuaExpression) -> String? {
    guard case .call(let callee, _) = call.methodRoot.kind, let reference = LuaReference(callee),
      reference.root == .module("scripted"), reference.fields.count == 1,
      ReducerKind(rawValue: reference.fields[0])?.isFunction == true
    else { return nil }
    if case .method(_, let name, _) = call.kind {
      return ReducerKind(rawValue: name)?.parameters == nil ? nil : name
    }
    return "scripted.\(reference.fields[0])"
  }

  // MARK: The script's return

  /// A script without `return` is reported if it makes a feature, and does nothing that could make
  /// the feature reachable in another way.
  private mutating func checkReturn() {
    let isMain: (LuaExpression) -> Bool = { $0.function.isMain }
    guard !analysis.chunk.returns.contains(where: { $0.function.isMain }),
      let feature = analysis.features.last(where: { $0.call.function.isMain }),
      !analysis.chunk.assignments.contains(where: { isMain($0.target) }),
      analysis.chunk.calls.filter(isMain).allSatisfy(isPlain)
    else { return }
    let name = feature.name.map { "the feature \($0)" } ?? "this feature"
    add(
      .droppedResult, at: feature.call.position, "the script makes \(name) and returns nothing",
      "end the script with `return` and the feature")
  }

  /// Whether a call is `require`, a function of `scripted`, or a method of a reducer.
  private func isPlain(_ call: LuaExpression) -> Bool {
    if reducer(call) != nil { return true }
    guard case .call(let callee, _) = call.kind, let reference = LuaReference(callee) else {
      return false
    }
    return reference == .global("require") || reference.root == .module("scripted")
  }
}

extension LuaVariable {
  /// Whether the name says that the value is not needed: `_` or `_later`.
  fileprivate var isUnnamed: Bool { name.hasPrefix("_") }
}
