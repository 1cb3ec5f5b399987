import LuaBridge
import Platform

/// A durable store as its journal's snapshot and records make it. Made without any script.
struct RecoveredStore: Sendable {
  let state: Value
  let number: Int
  /// The hidden parts after the last record.
  let header: DurableHeader
  let effects: [EffectNote]
  let alarms: [AlarmNote]
  let receipt: Receipt
  let behind: RecordsBehind

  /// Applies the patches of the records.
  ///
  /// - Throws: ``JournalError/Code/damaged`` with the record that is none.
  init(_ stored: StoredStore, _ name: StoreName) throws(JournalError) {
    var reader = RecordingReader()
    try Self.reading("the snapshot", name) { () throws(HistoryError) in
      _ = try reader.read(stored.snapshot.line.utf8, line: 1, isWhole: true)
    }
    guard let first = reader.recording, var header = first.durable else {
      throw JournalError(
        .damaged, "\(name): the snapshot of the journal is not that of a durable store")
    }
    var (started, ended): ([EffectNote], [EffectNote]) = ([], [])
    var behind = RecordsBehind(records: stored.records.count)
    var alarms = try Self.reading("the snapshot", name) { () throws(ScriptError) in
      try [AlarmNote](recorded: first.alarms)
    }
    for record in stored.records {
      behind.bytes += record.line.utf8.count
      let change = try Self.reading("record \(record.number)", name) { () throws(HistoryError) in
        try reader.readChange(record.line)
      }
      started += change.started
      ended += change.ended
      if let changes = change.alarms {
        alarms = try Self.reading("record \(record.number)", name) { () throws(ScriptError) in
          var changed = alarms
          try changed.apply(changes)
          return changed
        }
      }
      guard let fields = change.durable else { continue }
      if let id = fields.request {
        header.requests.append(.init(id: id, number: change.number, receipt: record.receipt))
      }
      header.code = fields.code ?? header.code
      header.nextID = fields.nextID ?? header.nextID
      header.features = fields.features ?? header.features
    }
    header.requests = header.requests.suffix(RequestLog.most)
    // The snapshot may have an effect that started after its last record.
    header.lastEffect = (first.effects + started).reduce(header.lastEffect) { max($0, $1.number) }
    state = reader.state
    number = stored.records.last?.number ?? stored.snapshot.number
    effects = EffectNote.running(first.effects, after: [(started, ended)])
    self.header = header
    self.alarms = alarms
    self.behind = behind
    receipt = stored.receipt
  }

  /// A store that the journal has nothing of.
  ///
  /// - Parameter features: the versions of the features that have made the state.
  init(beginning state: Value, of features: Value) {
    self.state = state
    (number, effects, alarms, receipt) = (0, [], [], .none)
    header = DurableHeader(wall: 0, code: "", features: features)
    behind = RecordsBehind()
  }

  private static func reading<R, E: Error>(
    _ what: String, _ name: StoreName, _ body: () throws(E) -> R
  ) throws(JournalError) -> R {
    do throws(E) {
      return try body()
    } catch {
      let reason = (error as? ScriptError)?.message ?? "\(error)"
      throw JournalError(
        .damaged, "\(name): \(what) cannot be read (\(reason)); restore a backup of the journal")
    }
  }
}

extension StoredStore {
  /// Whether a line may say that an effect was in flight or an alarm was set. False is certain.
  var mentionsEffects: Bool {
    let fields = ["\"effects\":", "\"started\":", "\"alarms\":"]
    return ([snapshot.line] + records.map(\.line)).contains { line in
      // No line of JSON has a zero byte.
      line.withCString { text in fields.contains { strstr(text, $0) != nil } }
    }
  }
}
