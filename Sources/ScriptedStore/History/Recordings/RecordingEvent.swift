// The lines of a recording. `docs/runner.md` describes them, and ``RecordingReader`` reads them. Both
// must change together with ``RecordingEvent/version``.

import ScriptValue

/// The header of a recording, without the state.
struct RecordingHeader: Sendable {
  /// A module or file, or the name of a reducer that was made in Swift.
  var feature = ""
  /// The SHA-256 hashes of the scripts by name.
  var scripts: [String: String] = [:]
  /// The names of the dependencies that the store overrides.
  var dependencies: [String] = []
  /// The effects that were in flight already.
  var effects: [EffectNote] = []
  /// The alarms that were set already, as ``StoreAlarms`` records them; null for none.
  var alarms = Value.null
  /// What the recording of a durable store has besides; nil in other ones.
  var durable: DurableHeader?
}

/// The hidden parts of a durable store, which the header of its recording has.
struct DurableHeader: Sendable {
  /// A request that was taken.
  struct Request: Sendable {
    let id: String
    let number: Int
    /// Nil until the record is durable.
    var receipt: Receipt?
  }

  /// The time in seconds since 1970.
  var wall: Double
  /// Identifies the scripts.
  var code: String
  var lastEffect = 0
  /// The next id of an element of a stack (``StackIDs/highest``).
  var nextID: Int64 = 0
  /// The last requests, the oldest first.
  var requests: [Request] = []
  /// The versions and the fields of the features (``FeatureDeclarations/recorded(_:)``).
  var features = Value.null
}

/// What the record of a durable store has besides what an entry of a history has.
package struct DurableFields: Sendable, Hashable {
  /// The time in seconds since 1970.
  package var wall: Double
  /// The id of the request that has sent the action.
  package var request: String?
  /// Identifies the scripts that reduced the action, if they are others than before.
  package var code: String?
  /// The next id of an element of a stack, if it is another one than before.
  package var nextID: Int64?
  /// The versions and the fields of the features (``FeatureDeclarations/recorded(_:)``) in the first record after a migration.
  package var features: Value?
}

enum RecordingEvent: Sendable {
  case header(RecordingHeader, after: Int, state: Value)
  /// - before: the state before the entry. The line holds the difference to it.
  case entry(HistoryEntry, before: Value)
  /// The effects that started and ended since the last entry.
  case effects(started: [EffectNote], ended: [EffectNote])
  case call(EffectCall)
  /// Scripts that were loaded since the last entry.
  case scripts([String: String])
  /// The scripts were reloaded: the generation, the hashes, and the state if it was migrated.
  case reload(Int, scripts: [String: String], state: Value?)
  case went(Int)

  /// The version of the format of a recording that has the answers which effects got from dependencies.
  static let version = 1
  /// The version of the format of a durable store's recording.
  static let durableVersion = 2

  /// The event as JSON on one line, without a line break. Costs O(size of the change).
  var line: String {
    var line = RecordingLine()
    switch self {
    case .header(let header, let number, let state):
      let version = header.durable == nil ? Self.version : Self.durableVersion
      line.add("recording", .integer(Int64(version)))
      line.add("feature", .string(header.feature))
      if number != 0 { line.add("after", .integer(Int64(number))) }
      line.add("scripts", Self.value(header.scripts))
      line.add("dependencies", .array(Value.List(header.dependencies.map { .string($0) })))
      line.add("effects", unlessEmpty: header.effects.map(\.recorded))
      if let durable = header.durable { line.add(durable) }
      if !header.alarms.isNull { line.add("alarms", header.alarms) }
      line.add("state", state)
    case .entry(let entry, let before):
      line.add(entry, JSONPatch.diff(from: before, to: entry.state).jsonBytes)
    case .effects(let started, let ended):
      line.add("started", unlessEmpty: started.map(\.recorded))
      line.add("ended", unlessEmpty: ended.map(\.recorded))
    case .call(let call):
      line.add("call", .integer(Int64(call.number)))
      line.add("time", .float(call.time / .seconds(1)))
      if let effect = call.effect { line.add("effect", .integer(Int64(effect))) }
      switch call.phase {
      case .asked(let name, let isStream):
        line.add("asked", .string(name))
        if isStream { line.add("stream", true) }
      case .answered(let answer): for (key, value) in answer.fields { line.add(key, value) }
      }
    case .scripts(let scripts): line.add("scripts", Self.value(scripts))
    case .reload(let generation, let scripts, let state):
      line.add("reload", .integer(Int64(generation)))
      line.add("scripts", Self.value(scripts))
      if let state { line.add("state", state) }
    case .went(let number): line.add("go", .integer(Int64(number)))
    }
    return line.text
  }

  private static func value(_ scripts: [String: String]) -> Value {
    var object = Value.Object()
    for (name, hash) in scripts.sorted(by: { $0.key < $1.key }) { object[name] = .string(hash) }
    return .object(object)
  }
}

extension JSONPatch {
  var jsonBytes: [UInt8] {
    var bytes: [UInt8] = []
    appendJSON(to: &bytes)
    return bytes
  }
}

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

  mutating func add(_ header: DurableHeader) {
    add("wall", .float(header.wall))
    add("code", .string(header.code))
    if header.lastEffect != 0 { add("lastEffect", .integer(Int64(header.lastEffect))) }
    if header.nextID != 0 { add("nextID", .integer(header.nextID)) }
    add(
      "requests",
      unlessEmpty: header.requests.map { request in
        [
          .string(request.id), .integer(Int64(request.number)),
          .string(request.receipt?.description ?? ""),
        ]
      })
    if !header.features.isNull { add("features", header.features) }
  }

  mutating func add(_ fields: DurableFields) {
    add("wall", .float(fields.wall))
    if let request = fields.request { add("request", .string(request)) }
    if let code = fields.code { add("code", .string(code)) }
    if let next = fields.nextID { add("nextID", .integer(next)) }
    if let features = fields.features { add("features", features) }
  }

  /// - Parameter patch: the JSON of the difference to the state before.
  mutating func add(_ entry: HistoryEntry, _ patch: [UInt8]) {
    add("n", .integer(Int64(entry.number)))
    add("source", .string(entry.source.rawValue))
    if let feature = entry.feature { add("feature", .string(feature)) }
    if let sender = entry.sender { add("sender", sender.recorded) }
    add("action", entry.action.value)
    if let transaction = entry.transaction { add("transaction", transaction) }
    if let durable = entry.durable {
      add(durable)
    } else {
      add("time", .float(entry.time / .seconds(1)))
    }
    if let alarms = entry.alarms { add("alarms", alarms) }
    add("patch")
    bytes += patch
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
    if entry.hasOtherEffects { add("otherEffects", true) }
  }
}
