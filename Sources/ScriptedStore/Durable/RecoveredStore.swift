import LuaBridge

/// A durable store as its journal's snapshot and records make it. Made without any script.
struct RecoveredStore: Sendable {
  let state: Value
  /// The number of the last record.
  let number: Int
  /// The hidden parts after the last record.
  let header: DurableHeader
  /// The effects that were in flight.
  let effects: [EffectNote]
  let alarms: [AlarmNote]
  let receipt: Receipt
  let recordsBehind: Int
  let bytesBehind: Int
  /// Whether the journal has nothing of the store.
  let isNew: Bool

  /// Applies the patches of the records.
  ///
  /// - Throws: ``JournalError/Code/damaged`` with the record that is none.
  init(_ stored: StoredStore, _ name: StoreName) throws(JournalError) {
    var reader = RecordingReader()
    try Self.read(stored.snapshot.line, "the snapshot", name, with: &reader)
    guard let first = reader.recording, var header = first.durable else {
      throw JournalError(
        .damaged, "\(name): the snapshot of the journal is not that of a durable store")
    }
    var (started, ended): ([EffectNote], [EffectNote]) = ([], [])
    var bytes = 0
    var alarms = try Self.reading("the snapshot", name) { () throws(ScriptError) in
      try [AlarmNote](recorded: header.alarms)
    }
    for record in stored.records {
      bytes += record.line.utf8.count
      let step = try Self.read(record.line, "record \(record.number)", name, with: &reader)
      guard case .entry(let entry) = step else {
        throw JournalError(.damaged, "\(name): record \(record.number) is no entry of a recording")
      }
      started += entry.started
      ended += entry.ended
      guard let fields = entry.durable else { continue }
      if let id = fields.request {
        header.requests.append(.init(id: id, number: entry.number, receipt: record.receipt))
      }
      header.code = fields.code ?? header.code
      header.nextID = fields.nextID ?? header.nextID
      if let changes = fields.alarms {
        alarms = try Self.reading("record \(record.number)", name) { () throws(ScriptError) in
          var changed = alarms
          try changed.apply(changes)
          return changed
        }
      }
    }
    header.requests = header.requests.suffix(64)
    header.lastEffect = started.reduce(header.lastEffect) { max($0, $1.number) }
    state = reader.state
    number = stored.records.last?.number ?? stored.snapshot.number
    effects = EffectNote.running(first.effects, after: [(started, ended)])
    self.header = header
    self.alarms = alarms
    receipt = stored.receipt
    (recordsBehind, bytesBehind) = (stored.records.count, bytes)
    isNew = false
  }

  /// A store that the journal has nothing of.
  init(beginning state: Value) {
    self.state = state
    (number, effects, alarms, receipt) = (0, [], [], .none)
    header = DurableHeader(wall: 0, code: "")
    (recordsBehind, bytesBehind, isNew) = (0, 0, true)
  }

  private static func reading<R>(
    _ what: String, _ name: StoreName, _ body: () throws(ScriptError) -> R
  ) throws(JournalError) -> R {
    do throws(ScriptError) {
      return try body()
    } catch {
      throw JournalError(.damaged, "\(name): \(what) cannot be read (\(error.message))")
    }
  }

  @discardableResult
  private static func read(
    _ line: String, _ what: String, _ name: StoreName, with reader: inout RecordingReader
  ) throws(JournalError) -> RecordingStep? {
    do throws(HistoryError) {
      return try reader.read(line.utf8, line: 1, isWhole: true)
    } catch {
      throw JournalError(
        .damaged,
        "\(name): \(what) cannot be read (\(error.message)); restore a backup of the journal"
      )
    }
  }
}
