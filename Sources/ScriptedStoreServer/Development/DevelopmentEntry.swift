#if Server
import ScriptValue
import ScriptedStore

/// An entry of a history, as the bar gets it.
enum DevelopmentEntry {
  /// Characters of a text.
  private static let mostCharacters = 200
  private static let mostChanges = 20

  /// - Parameter before: the state before the entry.
  static func value(_ entry: HistoryEntry, before: Value) -> Value {
    var object: Value.Object = [
      "number": Value(entry.number), "action": .string(cut(entry.action.path)),
      "source": .string(entry.source.rawValue), "time": .float(entry.time / .seconds(1)),
    ]
    let payload = entry.action.payload
    if !payload.isEmpty { object["payload"] = .string(text(.object(payload))) }
    object["feature"] = entry.feature.map { .string($0) }
    let changes = changes(from: before, to: entry.state)
    if !changes.isEmpty { object["changes"] = .array(Value.List(changes)) }
    if !entry.warnings.isEmpty {
      object["warnings"] = .array(Value.List(entry.warnings.map { .string($0.message) }))
    }
    if let error = entry.error {
      var failure: Value.Object = ["message": .string(error.message)]
      failure["location"] = error.location.map { .string($0) }
      object["error"] = .object(failure)
    }
    if entry.isSkipped { object["skipped"] = 1 }
    return .object(object)
  }

  /// `[path, before, after]` of the first changes.
  private static func changes(from old: Value, to new: Value) -> [Value] {
    var (state, changes) = (old, [] as [Value])
    for operation in JSONPatch.luaDiff(from: old, to: new).operations.prefix(mostChanges) {
      let (pointer, after): (JSONPointer, Value?)
      switch operation {
      case .add(let path, let value), .replace(let path, let value):
        (pointer, after) = (path, value)
      case .remove(let path): (pointer, after) = (path, nil)
      case .move, .copy, .test: continue
      }
      var before: Value?
      if case .add = operation {} else { before = value(at: pointer, in: state) }
      changes.append([
        .string(path(pointer, in: state)), before.map { .string(text($0)) } ?? .null,
        after.map { .string(text($0)) } ?? .null,
      ])
      state = (try? JSONPatch([operation]).apply(to: state)) ?? state
    }
    return changes
  }

  private static func value(at pointer: JSONPointer, in state: Value) -> Value {
    pointer.tokens.reduce(state) { value, token in
      value.array != nil ? value[Int(token) ?? -1] : value[token]
    }
  }

  /// The place as Lua has it: `todos[1].title`.
  private static func path(_ pointer: JSONPointer, in state: Value) -> String {
    var (text, value) = ("", state)
    for token in pointer.tokens {
      if value.array != nil {
        let index = Int(token) ?? value.array?.count ?? 0
        text += "[\(index + 1)]"
        value = value[index]
      } else {
        text += (text.isEmpty ? "" : ".") + token
        value = value[token]
      }
    }
    return cut(text)
  }

  /// Costs what is shown, not the size of the value.
  private static func text(_ value: Value) -> String {
    cut(ValuePreview.text(of: value, width: mostCharacters))
  }

  private static func cut(_ text: String) -> String {
    text.count > mostCharacters ? text.prefix(mostCharacters) + "…" : text
  }
}

extension EffectDescription {
  /// The effect as the bar gets it.
  var developmentValue: Value {
    var object: Value.Object = [
      "origin": .string(origin), "place": .string(place), "seconds": .float(duration / .seconds(1)),
      "waitingOn": .string(waitingOn),
    ]
    object["feature"] = feature.map { .string($0) }
    object["action"] = action.map { .string($0) }
    return .object(object)
  }
}
#endif
