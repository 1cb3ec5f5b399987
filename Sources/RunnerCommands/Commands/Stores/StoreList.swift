import Platform
import RunnerShared
import ScriptValue
import ScriptedStore

/// The stores of a journal as they are printed.
struct StoreList {
  let stores: [DurableStoreInfo]

  var json: [UInt8] {
    stores.flatMap { store in
      TerminalJSON.line([
        "name": .string("\(store.name)"), "records": Value(store.records),
        "behind": Value(store.recordsBehind), "bytes": Value(store.bytes),
        "changed": store.changed.map { .float($0) } ?? .null,
      ])
    }
  }

  /// `behind` counts the records that are applied when a store is next active.
  var text: TerminalText {
    let style = TextStyle.output
    var rows = [["STORE", "RECORDS", "BEHIND", "SIZE", "CHANGED"]]
    for store in stores {
      rows.append([
        "\(store.name)", "\(store.records)", "\(store.recordsBehind)", byteText(store.bytes),
        store.changed.map(timeText) ?? "never",
      ])
    }
    let widths = (0..<4).map { column in rows.lazy.map { $0[column].count }.max() ?? 0 }
    var text: TerminalText = ""
    for (index, row) in rows.enumerated() where !stores.isEmpty {
      let name = row[0] + String(repeating: " ", count: widths[0] - row[0].count)
      let numbers = (1..<4).map { padded(row[$0], to: widths[$0]) }
      let cells = [name] + numbers + [row[4]]
      let line: TerminalText = "\(cells.joined(separator: "  "))"
      text += (index == 0 ? style.bold(line) : line) + "\n"
    }
    let records = count(stores.reduce(0) { $0 + $1.records }, "record")
    let bytes = byteText(stores.reduce(0) { $0 + $1.bytes })
    return text + style.dim("\(count(stores.count, "store")), \(records), \(bytes)") + "\n"
  }
}

/// `812 B`, `4.2 KB`, `1.0 MB`: by thousands.
func byteText(_ bytes: Int) -> String {
  var (size, unit) = (Double(bytes), "B")
  for larger in ["KB", "MB", "GB", "TB"] where (size * 10).rounded() >= 10_000 {
    (size, unit) = (size / 1000, larger)
  }
  return "\(fixed(size, unit == "B" ? 0 : 1)) \(unit)"
}

/// A time in seconds since 1970 as `2026-11-28 20:31:05Z`; other numbers as they are.
func timeText(_ seconds: Double) -> String {
  // The years 1000 to 9999.
  guard (-30_610_224_000..<253_402_300_800).contains(seconds) else { return "\(seconds)" }
  var time = time_t(seconds.rounded(.down))
  var parts = tm()
  gmtime_r(&time, &parts)
  return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { text in
    strftime(text.baseAddress, text.count, "%Y-%m-%d %H:%M:%SZ", &parts)
    return text.baseAddress.map { String(cString: $0) } ?? ""
  }
}
