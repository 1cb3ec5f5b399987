import RunnerShared
import ScriptValue
import ScriptedStore

extension JournalLine {
  /// The number of the record, or of the last one that the snapshot has.
  var number: Int {
    switch self {
    case .snapshot(let snapshot): snapshot.number
    case .record(let record): record.number
    }
  }

  var text: String {
    switch self {
    case .snapshot(let snapshot): snapshot.line
    case .record(let record): record.line
    }
  }
}

/// The state of a durable store, by the patches of its records. No script runs.
struct RecordedState {
  private let name: StoreName
  private var reader = RecordingReader()
  private var lines = 0
  private var hasEntry = false
  private(set) var value = Value.null
  /// Why the lines are no recording; the later ones are then passed over.
  private(set) var failure: String?

  init(_ name: StoreName) { self.name = name }

  mutating func add(_ line: JournalLine) {
    guard failure == nil else { return }
    lines += 1
    do throws(HistoryError) {
      switch try reader.read(line.text.utf8, line: lines, isWhole: true) {
      case .entry(let entry): (value, hasEntry) = (entry.state, true)
      case .migration(let state): value = state
      case .effects, .call, .went, nil: break
      }
      if !hasEntry { value = reader.recording?.initialState ?? .null }
    } catch {
      failure = "\(name), record \(line.number): \(error.message)"
    }
  }
}

/// The records of a store as lines for people.
struct RecordLog {
  private let style: TextStyle

  init(_ style: TextStyle) { self.style = style }

  /// A line as it is recorded, safe for a terminal.
  static func json(_ line: String) -> [UInt8] { Array(TerminalJSON.text(line + "\n").utf8) }

  func text(of snapshot: JournalSnapshot) -> TerminalText {
    let state = (try? Value(wrappedJSON: Array(snapshot.line.utf8)))?["state"] ?? .null
    return
      "\(head(snapshot.number, nil))\(style.dim("begins with"))  \(ValuePreview.text(of: state, width: 60))\n"
  }

  /// The number, the time, and the action, or else what the record has.
  func text(of record: JournalRecord) -> TerminalText {
    guard let line = try? Value(wrappedJSON: Array(record.line.utf8)) else {
      return "\(head(record.number, nil))\(style.red("no JSON"))\n"
    }
    let head = head(record.number, line["wall"].double)
    guard let action = try? Action(line["action"]) else {
      let parts = line.object.map { $0.map(\.key).filter { !["n", "wall"].contains($0) } } ?? []
      return "\(head)\(style.dim("\(parts.joined(separator: ", "))"))\n"
    }
    let source = line["source"].string.flatMap(ActionRecord.Source.init) ?? .input
    let title = style.title(
      action, source, of: line["feature"].string, in: line.object?["transaction"])
    guard line.object?["error"] != nil else { return "\(head)\(title)\n" }
    return "\(head)\(title)  \(style.red("raised"))\n"
  }

  private func head(_ number: Int, _ time: Double?) -> TerminalText {
    let time = time.map(timeText) ?? ""
    return
      "\(padded("\(number)", to: 6))  \(style.dim("\(time)\(String(repeating: " ", count: max(0, 20 - time.count)))"))  "
  }
}
