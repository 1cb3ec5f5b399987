import LuaSyntax
import ScriptValue
import ScriptedStore

/// What the text of one function, call or table says against itself.
extension ScriptFindings {
  // MARK: Parameters

  /// The names that mean one of the values which functions get.
  private static let valueNames: Set = ["state", "action", "deps", "send", "env"]

  /// Parameters whose names are those of other values: `function(state, deps)` for a handler, which gets
  /// its action in second place.
  ///
  /// Only functions that are written where they are used are looked at, and only names that surely mean
  /// another value.
  mutating func findWrongParameters() {
    for feature in analysis.features {
      for handler in feature.definition?.field("on")?.tableFields ?? [] {
        checkParameters(of: handler.value, "a handler", gets: ["state", "action", "deps"])
      }
      checkParameters(
        of: feature.definition?.field("reduce"), "`reduce`", gets: ["state", "action", "deps"])
      // A third parameter of a view is found where it is used.
      checkParameters(
        of: feature.definition?.field("view"), "a view", gets: ["state", "env"], upTo: 2)
    }
    for call in analysis.chunk.calls {
      guard let arguments = call.arguments(of: .scripted("effect", "run")) else { continue }
      checkParameters(of: arguments.first, "the function of effect.run", gets: ["send", "deps"])
      checkParameters(
        of: arguments.dropFirst().first?.tableLiteral?.field("catch"), "`catch`",
        gets: ["error", "send", "deps"])
    }
  }

  private mutating func checkParameters(
    of function: LuaExpression?, _ user: String, gets values: [String], upTo count: Int = 5
  ) {
    guard let function, case .function(let body) = function.kind else { return }
    let parameters = body.parameters.map(\.name)
    // The first parameter may have any name, unless the state is surely meant to be the second.
    let isMethod = parameters.starts(with: ["self", "state"])
    let wrong = parameters.prefix(count).indices.first { index in
      Self.valueNames.contains(parameters[index])
        && (index >= values.count || parameters[index] != values[index])
    }
    guard let index = isMethod ? 0 : wrong else { return }
    let list = values.dropLast().joined(separator: ", ") + " and " + (values.last ?? "")
    let meaning = index < values.count ? "`\(values[index])`" : "nil"
    add(
      .wrongParameter, at: function.position,
      "\(user) gets \(list), so that '\(parameters[index])' is \(meaning) here",
      "write function(\(values.joined(separator: ", ")))")
  }

  // MARK: Ids of effects

  /// Ids of `effect.cancel` and `effect.cancelAlarm` that are nearly an id of the script's effects or alarms, and
  /// that no text of any script has besides. Such a call cancels nothing.
  mutating func findUnknownCancels(_ project: Project) {
    let effects = analysis.chunk.calls.compactMap { call -> String? in
      guard case .method(_, let name, let arguments) = call.kind,
        EffectKind(rawValue: name)?.method?.hasID == true
      else { return nil }
      return arguments.first?.resolved.string
    }
    findUnknown("cancel", of: "effect", among: effects, project)
    let alarms = analysis.chunk.calls.compactMap { call in
      call.arguments(of: .scripted("effect", "alarm"))?.first?.resolved.string
    }
    findUnknown("cancelAlarm", of: "alarm", among: alarms, project)
  }

  private mutating func findUnknown(
    _ name: String, of thing: String, among ids: [String], _ project: Project
  ) {
    for call in analysis.chunk.calls {
      guard let arguments = call.arguments(of: .scripted("effect", name)),
        let id = arguments.first?.string,
        // Short ids, as "a" and "b", are near each other by chance.
        id.count >= 4, !ids.contains(id), let nearest = Suggestion.nearest(to: id, in: ids),
        project.hasOnce(id)
      else { continue }
      add(
        .unknownCancel, at: arguments[0].position,
        "effect.\(name) gets the id \"\(id)\", which no \(thing) here has",
        "did you mean \"\(nearest)\"?")
    }
  }

  // MARK: Keys

  /// Keys that stand twice in one table literal. Lua says nothing and takes the last one.
  mutating func findDuplicateKeys() {
    for table in analysis.chunk.tables {
      var lines: [String: Int] = [:]
      for (key, _) in table.tableFields ?? [] {
        guard let key, let name = name(ofKey: key) else { continue }
        if let first = lines.updateValue(key.position.line, forKey: name) {
          add(
            .duplicateKey, at: key.position,
            "the key '\(name)' stands in this table already, at line \(first), and the last one wins",
            "leave one of them out")
        }
      }
    }
  }

  /// A key for people, `title` or `[1]`; nil for a key that is computed. A number is known by its
  /// text, so that `[1]` and `[0x1]` are two keys here.
  private func name(ofKey key: LuaExpression) -> String? {
    if let name = key.string { return name }
    guard case .constant = key.kind else { return nil }
    let text = script.source[key.position.offset...].prefix { $0 != UInt8(ascii: "]") }
    return "[\(String(decoding: text, as: UTF8.self).trimmed)]"
  }
}
