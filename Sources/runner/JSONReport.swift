import LuaBridge
import ScriptedStore

/// A run as JSON, one object a line.
enum JSONReport {
  static func line(_ record: ActionRecord) -> [UInt8] {
    var line: [UInt8] = []
    line.append(#"{"n":\#(record.number),"source":"\#(record.source)","action":"#)
    record.action.value.appendJSON(to: &line)
    line.append(#","patch":"#)
    JSONPatch.diff(from: record.before, to: record.after).appendJSON(to: &line)
    line.append(#","warnings":"#)
    Value.array(Value.List(record.warnings.map { .string("\($0)") })).appendJSON(to: &line)
    if let error = record.error {
      line.append(#","error":"#)
      Value.string("\(error)").appendJSON(to: &line)
    }
    line.append("}\n")
    return line
  }

  static func line(state: Value) -> [UInt8] {
    var line: [UInt8] = []
    line.append(#"{"state":"#)
    state.appendJSON(to: &line)
    line.append("}\n")
    return line
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ text: String) { append(contentsOf: text.utf8) }
}
