import LuaBridge

extension Reducer {
  /// A case whose state is any value, and that no reducer runs on. As TCA's `ReducerCaseIgnored`.
  public static let ignored = Reducer(origin: "ignored") {
    (compiler, builder) throws(ScriptError) in
    compiler.ignored("ignored", &builder)
  }

  /// An alert or a dialog. No reducer runs on it. After each of its actions it is dismissed, once
  /// the parent has run, unless the parent assigned it in that action. It stands in
  /// ``cases(_:file:line:)`` under an `ifLet`, or directly in an `ifLet`. As TCA's
  /// `ReducerCaseEphemeral`.
  ///
  /// A parent in Swift counts as having assigned it if its value changed.
  public static let ephemeral = Reducer(origin: "ephemeral") {
    (compiler, builder) throws(ScriptError) in
    compiler.ephemeral("ephemeral", &builder)
  }
}

extension ReducerCompiler {
  func ignored(_ origin: String, _ builder: inout DomainBuilder) -> ReducerNode {
    builder.vocabulary.takesAll = true
    return ReducerNode(origin: origin, isValue: true)
  }

  func ephemeral(_ origin: String, _ builder: inout DomainBuilder) -> ReducerNode {
    builder.ephemeral = .whole
    return ignored(origin, &builder)
  }
}

/// The part of a domain's state that is dismissed after an action: nothing, the whole state, or the
/// cases with these names.
enum Ephemeral: Equatable {
  case none
  case whole
  case cases([String])

  /// Makes a case ephemeral.
  mutating func add(_ name: String) {
    if case .cases(let names) = self {
      self = .cases(names + [name])
    } else {
      self = .cases([name])
    }
  }
}
