import LuaSyntax

/// What a view cannot do: write to what it gets, make effects, and use dependencies. Each raises
/// at its line, or does nothing.
extension ScriptFindings {
  mutating func findImpureViews() {
    guard !analysis.roles.viewFunctions.isEmpty else { return }
    for index in analysis.chunk.indexes where index.isAssigned {
      if let name = analysis.roles.readOnlyName(of: index) {
        addWrite(to: name, at: index.position)
      }
    }
    for call in analysis.chunk.calls where analysis.roles.isInView(call.function) {
      checkCall(call)
    }
    for body in analysis.roles.viewFunctions { findDependencies(ofView: body) }
  }

  // MARK: Writes

  private mutating func addWrite(to name: String, at position: SourcePosition) {
    add(
      .impureView, at: position, "a view writes to \(name), which it can only read",
      name == "its state" ? "let a node send an action, whose handler writes" : "copy what it needs"
    )
  }

  /// The functions that change their first argument.
  private static let writingFunctions: Set<LuaReference> = Set(
    [.global("rawset"), .scripted("replace")]
      + ["insert", "remove", "sort"].map { .global("table", $0) }
      + ["insert", "remove", "removeAll", "removeAt", "move", "sort"].map { .scripted("list", $0) })

  private mutating func checkCall(_ call: LuaExpression) {
    guard case .call(let callee, let arguments) = call.kind, let reference = LuaReference(callee)
    else { return }
    if Self.writingFunctions.contains(reference), let place = arguments.first,
      let name = analysis.roles.readOnlyName(of: place)
    {
      return addWrite(to: name, at: call.position)
    }
    guard reference.root == .module("scripted"), reference.fields.count == 2,
      reference.fields[0] == "effect"
    else { return }
    add(
      .impureView, at: call.position,
      "a view calls effect.\(reference.fields[1]), and its effects never run",
      "give a node the action: action = \"save\", or task = \"load\" for when it appears")
  }

  // MARK: Dependencies

  /// A view has no third parameter. Handlers have `deps` there.
  private mutating func findDependencies(ofView body: LuaFunctionBody) {
    guard body.parameters.count > 2 else { return }
    let parameter = body.parameters[2]
    for index in analysis.chunk.indexes {
      guard case .index(let base, _) = index.kind, case .local(let variable) = base.kind,
        variable === parameter
      else { continue }
      add(
        .impureView, at: index.position, "a view gets its state and env, and no \(parameter.name)",
        "put what it shows into the state, in a handler or an effect")
    }
  }
}
