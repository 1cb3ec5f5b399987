import LuaBridge
import Synchronization

/// The table of a `database` key.
final class StoredTable: Sendable {
  /// The identity of the shared value.
  let key: SharedIdentity
  let table: SharedTable
  let file: String
  let version: Int
  let withstandsPowerFailure: Bool

  struct State: Sendable {
    /// The rows that the database has. While the value does not come from them, the first value: it is no change, so
    /// it is what both sides began with.
    var saved = Value.List()
    var base = SharedTable.Base.nothing
    /// Whether the value may differ from `saved`, and is to be written. A default is not.
    var isChanged = false
    /// Why the table is not written: it is newer, or its migration raised.
    var refusal: SharedStorageError?
    /// The rows that `check` refuses. Their table gets another name before the value is written.
    var invalid: Invalid?
  }

  /// Rows that the key refuses, and why.
  struct Invalid: Sendable {
    let rows: Value.List
    let version: Int
    let failure: SharedStorageError
  }

  let state = Mutex(State())

  init(_ key: SharedKey) {
    self.key = key.identity
    table = SharedTable(name: key.name, id: key.rowID)
    withstandsPowerFailure = key.withstandsPowerFailure
    file = key.fileName
    version = key.version
  }

  /// Reads the table for the key that opens it, and whose default has these rows.
  func open(
    for key: SharedKey, default first: Value.List, in database: any SharedDatabase
  ) -> SharedValues.Found {
    let found = read(for: key, in: database)
    state.withLock { state in
      state.isChanged = found.isNewer
      if found.value == nil { state.saved = first }
    }
    return found
  }

  private func read(for key: SharedKey, in database: any SharedDatabase) -> SharedValues.Found {
    var content = SharedTable.Content()
    do throws(SharedStorageError) {
      content = try database.read([table], in: file).first ?? content
      guard let rows = content.rows else { return SharedValues.Found() }
      state.withLock { ($0.saved, $0.base) = (rows, .table) }
      let (new, isMigrated) = try key.adapted(.array(rows), from: content.version)
      if isMigrated {
        state.withLock { $0.base = .newTable(keepingOldAs: "v\(content.version)") }
      }
      let failure = content.failure.map { SharedStorageError(code: "broken", message: $0) }
      return SharedValues.Found(value: new, failure: failure, isNewer: isMigrated)
    } catch {
      // What cannot be read is not written either, except for rows that `check` refuses.
      state.withLock { [content] state in
        if error.code == "invalid" {
          state.base = .newTable(keepingOldAs: "broken")
          state.invalid = content.rows.map {
            Invalid(rows: $0, version: content.version, failure: error)
          }
        } else {
          state.refusal = error
        }
      }
      return SharedValues.Found(failure: error)
    }
  }

  /// What has to be made of the table to store a value; nil if it has it.
  ///
  /// O(changes), because the lists share nodes.
  func change(to value: Value?) throws(SharedStorageError) -> SharedTable.Change? {
    let state = state.withLock { $0 }
    guard state.isChanged else { return nil }
    if let refusal = state.refusal { throw refusal }
    guard let rows = (value ?? .array([])).array else {
      throw SharedStorageError(
        code: "invalid", message: "the value is no list of rows, as a table of a database is")
    }
    do throws(RowChanges.Failure) {
      let changes = try RowChanges(
        from: state.base == .table ? state.saved : Value.List(), to: rows, id: table.id)
      if changes.isEmpty && state.base == .table { return nil }
      return SharedTable.Change(
        table: table, version: version, rows: changes, result: rows, base: state.base)
    } catch {
      throw SharedStorageError(code: "invalid", message: error.message)
    }
  }

  /// The database has made a change.
  func didCommit(_ change: SharedTable.Change) {
    state.withLock { state in
      state.saved = change.result
      state.base = .table
      state.isChanged = false
      state.invalid = nil
    }
  }

  /// Takes over what others have made of the table. Called while no action changes the values.
  ///
  /// - Parameters:
  ///   - ours: the value here, which may have changes that the database has not.
  ///   - defaultValue: the value if there is no table any more.
  /// - Returns: the new value.
  func take(
    _ content: SharedTable.Content, ours: Value?, default defaultValue: Value?
  ) throws(SharedStorageError) -> Value? {
    // Merged, they would seem to be rows that were removed here.
    if let invalid = state.withLock({ $0.invalid }), content.version == invalid.version,
      content.rows == invalid.rows
    {
      throw invalid.failure
    }
    if content.rows != nil, content.version != version {
      let refusal = SharedStorageError.otherVersion(content.version, than: version)
      state.withLock { $0.refusal = refusal }
      throw refusal
    }
    return state.withLock { state in
      let base = Value.array(state.saved)
      let theirs = content.rows.map { Value.array($0) }
      (state.refusal, state.invalid) = (nil, nil)
      let isSame = state.base == .table ? theirs == base : theirs == nil && state.base == .nothing
      if isSame { return ours }
      state.saved = content.rows ?? Value.List()
      state.base = theirs == nil ? .nothing : .table
      guard let theirs else {
        if ours != base { return ours }
        let first = defaultValue ?? base
        state.saved = first.array ?? Value.List()
        return first
      }
      let merged = ValueMerge(ours: ours, theirs: theirs, base: base, id: table.id).value
      state.isChanged = merged != theirs
      return merged
    }
  }
}
