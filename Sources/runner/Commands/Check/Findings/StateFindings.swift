import LuaBridge
import LuaSyntax

/// Finds misspelt fields of states, keys of operators that no state has, and elements without an
/// id. It compares names with the default state, the annotations, and what the scripts write.
///
/// The host may write any field. So an unknown field alone is no mistake: its name must be near a
/// known one, and must occur nowhere else.
struct StateFindings {
  private(set) var findings: [Finding] = []
  private let script: ScriptFile
  private let analysis: ScriptAnalysis
  private let words: ProjectWords
  private let uses: [StateUse]
  private let attachments: [ChildAttachment]

  init?(_ script: ScriptFile, _ words: ProjectWords) {
    guard let analysis = script.analysis else { return nil }
    self.script = script
    self.analysis = analysis
    self.words = words
    uses = analysis.stateUses
    attachments = analysis.attachments
    for use in uses { check(use) }
    for attachment in attachments { check(attachment) }
    findElements()
  }

  private mutating func add(
    _ code: Finding.Code, _ position: SourcePosition, _ message: String, _ remedy: String?
  ) {
    findings.append(script.finding(code, at: position, message, remedy))
  }

  private func name(of feature: Int) -> String { analysis.features[feature].name ?? "the feature" }

  // MARK: Known fields

  /// The fields of a state that the handlers in this script write, and that its annotations name.
  private func further(_ path: ArraySlice<String>, _ features: FeatureSet) -> [String] {
    let written = uses.filter {
      $0.isAssigned && $0.path.dropLast() == path && !$0.features.isDisjoint(with: features)
    }
    return written.compactMap(\.path.last) + (path.isEmpty ? analysis.annotatedFields : [])
  }

  // MARK: Fields

  private mutating func check(_ use: StateUse) {
    guard let name = use.path.last, let first = use.features.min() else { return }
    let path = use.path.dropLast()
    var defaults: [String] = []
    for feature in use.features {
      guard let keys = analysis.defaultKeys(at: path, of: feature) else { return }
      defaults += keys
    }
    guard !defaults.contains(name), !analysis.commentWords.contains(name),
      !uses.replaceTable(at: path)
    else { return }
    let text = "state." + use.path.joined(separator: ".")
    if use.isAssigned {
      checkWritten(use, text, defaults)
    } else if !words.isWritten(name), !words.isInText(name),
      let nearest = Suggestion.nearest(to: name, in: defaults + further(path, use.features))
    {
      add(
        .unknownState, use.position,
        "\(self.name(of: first)) reads \(text), which nothing writes", "did you mean '\(nearest)'?")
    }
  }

  /// A field that is written once, and never read, may be for the host. It is taken for misspelt if
  /// one edit makes it a field of the default state.
  private mutating func checkWritten(_ use: StateUse, _ text: String, _ defaults: [String]) {
    guard let name = use.path.last, name.count >= 4,
      words.isOnly(name, at: use.position, in: script),
      let nearest = Suggestion.nearest(to: name, in: defaults),
      Suggestion.edits(from: name, to: nearest) == 1,
      // A singular beside its plural: both may be fields.
      !nearest.hasPrefix(name) || nearest.last != "s", !name.hasPrefix(nearest) || name.last != "s"
    else { return }
    add(
      .unreadState, use.position, "\(text) is written here and used nowhere else",
      "did you mean '\(nearest)'?")
  }

  // MARK: Operators

  private mutating func check(_ attachment: ChildAttachment) {
    guard let key = attachment.path.first,
      let defaults = analysis.defaultKeys(at: [], of: attachment.feature), !defaults.contains(key),
      !words.isWritten(key), !analysis.commentWords.contains(key)
    else { return }
    let nearest = Suggestion.nearest(
      to: key, in: defaults + further([], [attachment.feature]))
    // A child that is absent at first is usual; an absent list is not.
    guard nearest != nil || attachment.kind == .forEach && !defaults.isEmpty else { return }
    add(
      .unknownState, attachment.key.position,
      "\(attachment.kind.rawValue) is given the key '\(key)', which the state of "
        + "\(name(of: attachment.feature)) does not have and nothing writes",
      nearest.map { "did you mean '\($0)'?" } ?? "add it to `state`")
  }

  // MARK: Elements

  private mutating func findElements() {
    for attachment in attachments where attachment.kind == .forEach && attachment.path.count == 1 {
      guard let idKey = attachment.idKey, let key = attachment.path.first else { continue }
      let initial = analysis.features[attachment.feature].definition?.field("state")
      if let list = initial?.tableLiteral?.field(key) { checkList(list, key, idKey) }
      for (target, value) in analysis.chunk.assignments where isList(target, attachment) {
        checkList(value, key, idKey)
      }
      for call in analysis.chunk.calls {
        guard case .call(let callee, let arguments) = call.kind, arguments.count > 1,
          let inserted = Self.inserted(by: callee, arguments), isList(arguments[0], attachment)
        else { continue }
        checkElement(inserted, key, idKey)
      }
    }
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
    var list = list
    if case .call(let callee, let arguments) = list.kind,
      LuaReference(callee) == .scripted("array"), let literal = arguments.first
    {
      list = literal
    }
    guard case .table(let fields) = list.kind else { return }
    for field in fields where field.key == nil { checkElement(field.value, key, idKey) }
  }

  /// Only a literal in place is checked: a local's table may get its id later.
  private mutating func checkElement(_ element: LuaExpression, _ key: String, _ idKey: String) {
    guard case .table(let fields) = element.kind, !fields.isEmpty,
      fields.allSatisfy({ $0.key?.string != nil && $0.key?.string != idKey })
    else { return }
    add(
      .missingID, element.position,
      "this element of state.\(key) has no '\(idKey)', so no action reaches it",
      "give it an '\(idKey)', or name another field in the options of forEach")
  }
}
