import LuaBridge
import LuaSyntax

/// Misspelt fields of states, keys of operators that no state has, and elements without an
/// id. It compares names with the default state, the annotations, and what the scripts write.
///
/// The host may write any field. So an unknown field alone is no mistake: its name must be near a
/// known one, and must occur nowhere else.
extension ScriptFindings {
  mutating func findUnknownStates(_ project: Project) {
    for use in analysis.stateUses where !checkLength(use) { check(use, project) }
    for attachment in analysis.attachments { check(attachment, project) }
  }

  // MARK: Known fields

  /// The fields of a state that the handlers in this script write, and that its annotations name.
  private func further(_ path: ArraySlice<String>, _ features: FeatureSet) -> [String] {
    let written = analysis.stateUses.filter {
      $0.isAssigned && $0.path.dropLast() == path && !$0.features.isDisjoint(with: features)
    }
    return written.compactMap(\.path.last) + (path.isEmpty ? analysis.annotatedFields : [])
  }

  // MARK: Fields

  private mutating func check(_ use: StateUse, _ project: Project) {
    guard let name = use.path.last, !use.features.isEmpty else { return }
    let path = use.path.dropLast()
    var defaults: [String] = []
    for feature in use.features {
      guard let keys = analysis.defaultKeys(at: path, of: feature) else { return }
      defaults += keys
    }
    guard !defaults.contains(name), !analysis.commentWords.contains(name),
      !analysis.stateUses.replaceTable(at: path)
    else { return }
    let text = "state." + use.path.joined(separator: ".")
    if use.isAssigned {
      checkWritten(use, text, defaults, project)
    } else if !project.isWritten(name), !project.isInText(name),
      let question = Suggestion.question(for: name, in: defaults + further(path, use.features))
    {
      add(
        .unknownState, at: use.position,
        "\(title(of: use.features)) reads \(text), which nothing writes", question)
    }
  }

  /// A field that is written once, and never read, may be for the host. It is taken for misspelt if
  /// one edit makes it a field of the default state.
  private mutating func checkWritten(
    _ use: StateUse, _ text: String, _ defaults: [String], _ project: Project
  ) {
    guard let name = use.path.last, name.count >= 4,
      project.isOnly(name, at: use.position.line, of: script),
      let nearest = Suggestion.nearest(to: name, in: defaults),
      Suggestion.edits(from: name, to: nearest) == 1,
      // A singular beside its plural: both may be fields.
      !nearest.hasPrefix(name) || nearest.last != "s", !name.hasPrefix(nearest) || name.last != "s"
    else { return }
    add(
      .unreadState, at: use.position, "\(text) is written here and used nowhere else",
      "did you mean '\(nearest)'?")
  }

  // MARK: Lengths

  /// Names by which other languages tell how long a list or a text is. In Lua such a field is nil.
  private static let lengths: Set = ["count", "length", "size", "isEmpty"]

  /// Returns whether a field is the length of a list or a text, and reports it.
  private mutating func checkLength(_ use: StateUse) -> Bool {
    guard let name = use.path.last, Self.lengths.contains(name), use.path.count > 1,
      !analysis.stateUses.contains(where: { $0.isAssigned && $0.path == use.path })
    else { return false }
    let path = use.path.dropLast()
    let isText = use.features.allSatisfy {
      analysis.defaultValue(at: path, of: $0)?.resolved.string != nil
    }
    guard isText || use.features.allSatisfy({ analysis.isList(at: path, of: $0) }) else {
      return false
    }
    let text = "state." + path.joined(separator: ".")
    add(
      .unknownState, at: use.position, "a \(isText ? "string" : "list") has no '\(name)'",
      "write "
        + (name != "isEmpty" ? "#\(text)" : isText ? "\(text) == \"\"" : "#\(text) == 0"))
    return true
  }

  // MARK: Operators

  private mutating func check(_ attachment: ChildAttachment, _ project: Project) {
    guard let key = attachment.path.first,
      let defaults = analysis.defaultKeys(at: [], of: attachment.feature), !defaults.contains(key),
      !project.isWritten(key), !analysis.commentWords.contains(key)
    else { return }
    let question = Suggestion.question(
      for: key, in: defaults + further([], [attachment.feature]))
    // A child that is absent at first is usual; an absent list is not.
    guard question != nil || attachment.presence == .elements && !defaults.isEmpty else { return }
    add(
      .unknownState, at: attachment.key.position,
      "\(attachment.kind.rawValue) is given the key '\(key)', which the state of "
        + "\(title(of: [attachment.feature])) does not have and nothing writes",
      question ?? "add it to `state`")
  }

  // MARK: Elements

  mutating func findMissingIDs() {
    for attachment in analysis.attachments
    where attachment.presence == .elements && attachment.path.count == 1 {
      guard let idKey = attachment.idKey, let key = attachment.path.first else { continue }
      let initial = analysis.features[attachment.feature].definition?.field("state")
      if let list = initial?.tableLiteral?.field(key) { checkList(list, key, idKey) }
      for (target, value) in analysis.chunk.assignments {
        if isList(target, attachment) { checkList(value, key, idKey) }
        if isEnd(target, attachment) { checkElement(value, key, idKey) }
      }
      for call in analysis.chunk.calls {
        guard case .call(let callee, let arguments) = call.kind, arguments.count > 1,
          let inserted = Self.inserted(by: callee, arguments), isList(arguments[0], attachment)
        else { continue }
        checkElement(inserted, key, idKey, insertedBy: call)
      }
    }
  }

  /// Whether an expression is the place behind the last element of a list: `rows[#rows + 1]`.
  private func isEnd(_ expression: LuaExpression, _ attachment: ChildAttachment) -> Bool {
    guard case .index(let base, let key) = expression.kind, isList(base, attachment),
      // An expression with several operators has only its operands: `rows` and `1` for `#rows + 1`.
      case .other(let operands) = key.kind, operands.count == 2
    else { return false }
    return isList(operands[0], attachment) && operands[1].typeName == "number"
  }

  /// Whether an expression is the list that a `forEach` runs on.
  private func isList(_ expression: LuaExpression, _ attachment: ChildAttachment) -> Bool {
    analysis.stateUse(expression.resolved).map {
      $0.features == [attachment.feature] && $0.path == attachment.path
    } ?? false
  }

  /// The element that `table.insert` or `scripted.list.insert` inserts.
  private static func inserted(
    by callee: LuaExpression, _ arguments: [LuaExpression]
  ) -> LuaExpression? {
    let reference = LuaReference(callee)
    if reference == .scripted("list", "insert") { return arguments[1] }
    guard reference == .global("table", "insert") else { return nil }
    return arguments[arguments.count > 2 ? 2 : 1]
  }

  private mutating func checkList(_ list: LuaExpression, _ key: String, _ idKey: String) {
    guard case .table(let fields) = list.withoutArray.kind else { return }
    for field in fields where field.key == nil { checkElement(field.value, key, idKey) }
  }

  /// Whether the table of a local may get its id elsewhere: a field of it is assigned, or another call
  /// gets it.
  private func mayChange(_ element: LuaExpression, besides call: LuaExpression?) -> Bool {
    guard case .local = element.kind else { return false }
    let table = element.resolved
    return analysis.chunk.indexes.contains { index in
      guard index.isAssigned, case .index(let base, _) = index.kind else { return false }
      return base.resolved === table
    }
      || analysis.chunk.calls.contains { other in
        switch other.kind {
        case .call(_, let arguments) where other !== call, .method(_, _, let arguments):
          arguments.contains { $0.resolved === table }
        default: false
        }
      }
  }

  /// - Parameter call: the call that inserts the element; nil for an assignment.
  private mutating func checkElement(
    _ element: LuaExpression, _ key: String, _ idKey: String, insertedBy call: LuaExpression? = nil
  ) {
    guard let fields = element.tableFields, !fields.isEmpty,
      fields.allSatisfy({ $0.key?.string != nil && $0.key?.string != idKey }),
      !mayChange(element, besides: call)
    else { return }
    add(
      .missingID, at: element.position,
      "this element of state.\(key) has no '\(idKey)', so no action reaches it",
      "give it an '\(idKey)', or name another field in the options of forEach")
  }
}
