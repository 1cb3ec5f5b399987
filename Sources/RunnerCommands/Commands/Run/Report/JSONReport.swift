import ScriptValue
import ScriptedStore

/// Formats a run as JSON, one object a line.
enum JSONReport {
  static func line(_ record: ActionRecord) -> [UInt8] {
    var line: [UInt8] = []
    line.append(#"{"n":\#(record.number),"source":"\#(record.source)""#)
    if let feature = record.feature { line.append("feature", .string(feature)) }
    line.append("action", record.action.value)
    if let transaction = record.transaction { line.append("transaction", transaction) }
    line.append(#","patch":"#)
    JSONPatch.diff(from: record.before, to: record.after).appendJSON(to: &line)
    line.append("warnings", .array(Value.List(record.warnings.map { .string($0.displayed) })))
    if let error = record.error { line.append("error", .string(error.displayed)) }
    line.append("}\n")
    return TerminalJSON.bytes(line)
  }

  /// A warning that is not part of an action's record.
  static func line(_ warning: RuntimeWarning) -> [UInt8] {
    var object: Value.Object = [
      "warning": .string(warning.displayed), "kind": .string(warning.kind.rawValue),
      "origin": .string(ScriptPaths.inMessage(warning.origin)),
    ]
    object["action"] = warning.action.map { .string($0) }
    object["effect"] = warning.effect.map(value)
    return line(.object(object))
  }

  static func line(effects: [EffectDescription]) -> [UInt8] {
    line(["effects": .array(Value.List(effects.map(value)))])
  }

  static func line(state: Value) -> [UInt8] { line(["state": state]) }

  private static func value(_ effect: EffectDescription) -> Value {
    var object: Value.Object = [:]
    object["feature"] = effect.feature.map { .string($0) }
    object["origin"] = .string(ScriptPaths.inMessage(effect.origin))
    object["id"] = effect.id
    object["action"] = effect.action.map { .string($0) }
    object["place"] = .string(effect.place)
    object["seconds"] = .float(effect.duration / .seconds(1))
    object["waitingOn"] = .string(effect.waitingOn)
    return .object(object)
  }

  private static func line(_ value: Value) -> [UInt8] {
    var line: [UInt8] = []
    value.appendJSON(to: &line)
    line.append("\n")
    return TerminalJSON.bytes(line)
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ text: String) { append(contentsOf: text.utf8) }

  /// Appends a further field to an object.
  fileprivate mutating func append(_ key: String, _ value: Value) {
    append(",\"\(key)\":")
    value.appendJSON(to: &self)
  }
}
