#if Journal
import GRDB
import ScriptedStore

/// For each store that has records after its row: where its records end. A store with a current row has no entry.
struct JournalIndex: Sendable {
  struct End: Sendable, Hashable {
    /// The store as rows of records have it, `room/r17`.
    let text: String
    /// The seq of the store's last record; 0 if it has none.
    var seq: Int64
    var number: Int
    /// The bytes of the lines of records after the row.
    var bytes: Int
    /// The seq of the first record after the row; `.max` if there is none.
    var first: Int64

    mutating func extend(to seq: Int64, _ number: Int, bytes count: Int) {
      (self.seq, self.number) = (seq, number)
      bytes += count
    }
  }

  /// A store whose row does not know the record `first`, and those after it.
  struct Behind: Sendable {
    let name: StoreName
    let first: Int64
  }

  var ends: [StoreName: End] = [:]

  init() {}

  /// Reads the records behind a checkpoint.
  init(_ db: Database, after checkpoint: Int64) throws {
    var stores: [String: (name: StoreName, upTo: Int64)?] = [:]
    try db.rows(
      """
      SELECT seq, store, n, length(CAST(line AS BLOB)) FROM record
      WHERE seq > ? AND store IS NOT NULL ORDER BY seq
      """, checkpoint
    ) { select in
      guard let text = select.text(1) else { return }
      let store: (name: StoreName, upTo: Int64)?
      if let known = stores[text] {
        store = known
      } else {
        // A damaged name is found by `verify`, and by the store that lacks the record.
        let name = try? StoreName(text)
        store = try name.flatMap { name in
          try StoreTable(db: db).end(of: name).map { (name, $0.upTo) }
        }
        stores[text] = .some(store)
      }
      let seq = select.integer(0)
      guard let store, seq > store.upTo else { return }
      let (number, bytes) = (Int(select.integer(2)), Int(select.integer(3)))
      if ends[store.name]?.extend(to: seq, number, bytes: bytes) == nil {
        ends[store.name] = End(text: text, seq: seq, number: number, bytes: bytes, first: seq)
      }
    }
  }
}
#endif
