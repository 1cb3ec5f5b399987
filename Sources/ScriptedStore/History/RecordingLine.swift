import ScriptValue

/// Writes a JSON object field by field as text. A ``Value`` that wraps the fields would nest one
/// level deeper and could exceed the depth limit of values.
struct RecordingLine {
  private var bytes: [UInt8] = []

  var text: String { String(decoding: bytes, as: UTF8.self) + "}" }

  private mutating func add(_ key: String) {
    bytes += (bytes.isEmpty ? "{\"" : ",\"").utf8
    bytes += key.utf8
    bytes += "\":".utf8
  }

  mutating func add(_ key: String, _ value: Value) {
    add(key)
    value.appendJSON(to: &bytes)
  }

  mutating func add(_ key: String, unlessEmpty values: [Value]) {
    if !values.isEmpty { add(key, .array(Value.List(values))) }
  }

  mutating func add(_ entry: HistoryEntry, _ before: Value) {
    add("n", .integer(Int64(entry.number)))
    add("source", .string(entry.source.rawValue))
    if let feature = entry.feature { add("feature", .string(feature)) }
    add("action", entry.action.value)
    if let transaction = entry.transaction { add("transaction", transaction) }
    add("time", .float(entry.time / .seconds(1)))
    add("patch")
    JSONPatch.diff(from: before, to: entry.state).appendJSON(to: &bytes)
    if !entry.reads.isEmpty {
      add("reads")
      for (index, read) in entry.reads.enumerated() {
        bytes += (index == 0 ? "[" : ",").utf8
        var line = RecordingLine()
        line.add(read.source.field.key, read.source.field.value)
        for (key, value) in read.answer.fields { line.add(key, value) }
        bytes += line.text.utf8
      }
      bytes.append(UInt8(ascii: "]"))
    }
    add("started", unlessEmpty: entry.started.map(\.recorded))
    add("ended", unlessEmpty: entry.ended.map(\.recorded))
    add("warnings", unlessEmpty: entry.warnings.map(\.recorded))
    if let error = entry.error { add("error", error.recorded) }
    if entry.generation != 0 { add("generation", .integer(Int64(entry.generation))) }
    if entry.isSkipped { add("skipped", true) }
  }
}
