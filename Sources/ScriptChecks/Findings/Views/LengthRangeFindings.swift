import LuaSyntax

/// Ranges that end at the length of a list: `ui.forEach(#state.todos, function(i) … end)`. Such
/// rows are known by their index, so that focus, selection and effects do not follow an element.
extension ScriptFindings {
  mutating func findLengthRanges() {
    for node in analysis.viewNodes where node.kind == "forEach" { checkRange(of: node) }
  }

  private mutating func checkRange(of node: ViewNodeUse) {
    let (range, row) = (node.arguments.dropLast(), node.arguments.last?.functionLiteral)
    guard range.count <= 2, let end = range.last, case .length(let list) = end.resolved.kind else {
      return
    }
    let use = analysis.stateUse(list.resolved)
    guard use.map(isList) == true || row.map({ isIndexed(list, in: $0) }) == true else { return }
    let attachment = use.flatMap { use in
      analysis.attachments.first {
        $0.presence == .elements && use.features.contains($0.feature) && $0.path == use.path
      }
    }
    let form = hasScalars(list.resolved, use) ? #"{ id = "self" }, "# : ""
    let name = use.map { "state." + $0.path.joined(separator: ".") } ?? "list"
    add(
      .lengthRange, at: end.position,
      "this range ends at the length of a list, so that its rows are known by their index",
      "place the elements by their ids: "
        + (attachment?.action.map { "ui.forEach \"\($0)\"" }
          ?? "ui.forEach(\(name), \(form)function(element) … end)"))
  }

  /// Whether a list has texts and numbers, as far as it is written out. These are their own ids.
  private func hasScalars(_ list: LuaExpression, _ use: StateUse?) -> Bool {
    var list = list
    if let use, let feature = use.features.min() {
      guard let value = analysis.defaultValue(at: use.path[...], of: feature) else { return false }
      list = value.resolved
    }
    guard let fields = list.withoutArray.tableFields, !fields.isEmpty else { return false }
    return fields.allSatisfy { key, value in
      key == nil && ["string", "number"].contains(value.typeName)
    }
  }

  /// Whether a field of the state is surely a list: what has a length may be a string, too.
  private func isList(_ use: StateUse) -> Bool {
    use.features.contains { feature in
      let isAttached = analysis.attachments.contains {
        $0.feature == feature && $0.path == use.path && $0.hasElements
      }
      if isAttached { return true }
      let value = analysis.defaultValue(at: use.path[...], of: feature)?.resolved
      return value?.typeName == "table" || value?.arguments(of: .scripted("array")) != nil
    }
  }

  /// Whether the function of the rows takes elements of the list, which a string does not have.
  private func isIndexed(_ list: LuaExpression, in row: LuaFunctionBody) -> Bool {
    analysis.chunk.indexes.contains { index in
      guard case .index(let base, let key) = index.kind, case .local(let variable) = key.kind,
        index.function.enclosing.contains(where: { $0 === row })
      else { return false }
      return variable === row.parameters.first && base.refersToTheSame(as: list)
    }
  }
}

extension LuaExpression {
  /// Whether two expressions are the same local, or the same field of it.
  fileprivate func refersToTheSame(as other: LuaExpression) -> Bool {
    guard let first = fieldPath, let second = other.fieldPath, first.names == second.names,
      case .local(let one) = first.base.kind, case .local(let two) = second.base.kind
    else { return false }
    return one === two
  }
}
