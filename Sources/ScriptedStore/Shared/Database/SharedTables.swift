import Dispatch
import LuaBridge
import Synchronization

/// The shared values that are stored in tables of a database.
///
/// 1. What an action has changed in the tables of one file is one transaction. It is committed before any
///    other thread can read the new values, while no action can change them.
/// 2. If others have changed the file meanwhile, it is read first, and both changes are merged.
/// 3. After a failure the difference to what the database has is committed with the next change of a value in the file.
final class SharedTables: StoredValues {
  let database: any SharedDatabase
  private let tables = Mutex<[StoredTable]>([])
  /// The table that is being read before it comes to `tables`. One thread at a time opens a key.
  private let opening = Mutex<StoredTable?>(nil)
  private let files = Mutex<[String: File]>([:])
  private let queue = DispatchQueue(label: "ScriptedStore.tables")
  /// Marks the queue's thread.
  private static let isOnQueue = DispatchSpecificKey<Bool>()

  private struct File {
    /// Whether others have changed the file, so that it has to be read.
    var isBehind = false
    /// When it is tried again.
    var schedule = SaveSchedule(interval: 0)
  }

  init(_ database: any SharedDatabase) {
    self.database = database
    queue.setSpecific(key: SharedTables.isOnQueue, value: true)
  }

  func watch(for values: SharedValues) {
    database.watch { [weak self, weak values] file in
      self?.queue.async { [weak self, weak values] in
        if let self, let values { commitAgain(file, of: values, isBehind: true) }
      }
    }
  }

  // MARK: Keys

  private func table(with key: SharedIdentity) -> StoredTable? {
    tables.withLock { tables in tables.first { $0.key == key } }
  }

  func hasFile(named name: String) -> Bool {
    tables.withLock { tables in tables.contains { $0.file.lowercased() == name.lowercased() } }
  }

  func requireSame(_ key: SharedKey) throws(ScriptError) {
    guard let known = table(with: key.identity) else { return }
    guard known.file == key.fileName, known.table.id == key.rowID else {
      throw ScriptError(
        "the shared value '\(key.name)' at \(key.origin) has another `file` or `id` than where it was declared first; declare the key once"
      )
    }
  }

  func open(
    _ key: SharedKey, default first: Value?, of values: SharedValues
  ) throws(ScriptError) -> SharedValues.Found {
    let first = first ?? .array([])
    guard let rows = first.array else {
      throw ScriptError(
        "\(key.origin): the default of the shared value '\(key.name)' must be a list of rows")
    }
    let table = StoredTable(key)
    opening.withLock { $0 = table }
    defer { opening.withLock { $0 = nil } }
    let found = table.open(for: key, default: rows, in: database)
    do throws(ScriptError) {
      try key.requireNotStopped(found.failure)
    } catch {
      forget(table)
      throw error
    }
    values.changeUnstored { current in
      current.values[key.identity] = found.value ?? first
      tables.withLock { $0.append(table) }
    }
    return found
  }

  func saveOpened(_ key: SharedKey, of values: SharedValues) {
    commitAgain(key.fileName, of: values)
  }

  func setDefault(_ value: Value, of key: SharedIdentity) {
    table(with: key)?.state.withLock { state in
      if state.base != .table || state.refusal != nil { state.saved = value.array ?? state.saved }
    }
  }

  func letGo(of key: SharedIdentity, in values: Value.Object) -> Bool {
    guard let table = table(with: key) else { return true }
    if table.state.withLock(\.isChanged) { return false }
    forget(table)
    return true
  }

  /// Nothing has to be known of a table any more.
  private func forget(_ table: StoredTable) {
    // The lock keeps another table of the file from being opened before the database has heard that this is the last one.
    opening.withLock { opening in
      if opening === table { opening = nil }
      let isLast = tables.withLock { tables in
        tables.removeAll { $0 === table }
        return opening?.file != table.file && !tables.contains { $0.file == table.file }
      }
      if isLast { files.withLock { $0[table.file] = nil } }
      database.forget(table.table, in: table.file, isLast: isLast)
    }
  }

  // MARK: Changes

  func commit(from old: Value.Object, to new: inout SharedVersion, of values: SharedValues) {
    let changed = tables.withLock { $0 }.filter { old[$0.key] != new.values[$0.key] }
    for table in changed { table.state.withLock { $0.isChanged = true } }
    for file in Set(changed.map(\.file)).sorted() { commitFile(file, to: &new, of: values) }
  }

  /// Commits what differs in the tables of a file. Called while no action can change the values.
  private func commitFile(_ file: String, to new: inout SharedVersion, of values: SharedValues) {
    let tables = tables.withLock { $0 }.filter { $0.file == file }
    // Its keys were forgotten since others changed it. To read it would open it again.
    guard !tables.isEmpty else { return files.withLock { $0[file] = nil } }
    let isBehind = files.withLock { files in
      defer { files[file]?.isBehind = false }
      return files[file]?.isBehind == true
    }
    var changes = changes(of: tables, to: &new, values)
    do throws(SharedStorageError) {
      if changes.isEmpty {
        guard isBehind else { return }
        let contents = try database.read(tables.map(\.table), in: file)
        take(contents, of: tables, into: &new, values)
        // Rows of both sides were merged, or there was nothing to merge.
        changes = self.changes(of: tables, to: &new, values)
      }
      if !changes.isEmpty {
        let power = tables.contains { $0.withstandsPowerFailure }
        try database.write(to: file, withstandingPowerFailure: power) {
          transaction throws(SharedStorageError) in
          if transaction.isBehind {
            let contents = try transaction.read(tables.map(\.table))
            take(contents, of: tables, into: &new, values)
            changes = self.changes(of: tables, to: &new, values)
          }
          for (_, change) in changes { try transaction.make(change) }
        }
      }
      files.withLock { $0[file]?.schedule.didSave(hasWritten: true) }
      for (table, change) in changes {
        table.didCommit(change)
        report(table, .save, nil, in: &new, values)
        // What could not be read has another name now.
        report(table, .load, nil, in: &new, values)
      }
    } catch {
      for (table, _) in changes { report(table, .save, error, in: &new, values) }
      if changes.isEmpty { for table in tables { report(table, .load, error, in: &new, values) } }
      if isBehind { files.withLock { $0[file]?.isBehind = true } }
      retry(file, of: values)
    }
  }

  private typealias Changes = [(table: StoredTable, change: SharedTable.Change)]

  private func changes(
    of tables: [StoredTable], to new: inout SharedVersion, _ values: SharedValues
  ) -> Changes {
    var changes: Changes = []
    for table in tables {
      do throws(SharedStorageError) {
        if let change = try table.change(to: new.values[table.key]) {
          changes.append((table, change))
        } else {
          report(table, .save, nil, in: &new, values)
        }
      } catch {
        report(table, .save, error, in: &new, values)
      }
    }
    return changes
  }

  /// Takes over what others have made of a file.
  private func take(
    _ contents: [SharedTable.Content], of tables: [StoredTable], into new: inout SharedVersion,
    _ values: SharedValues
  ) {
    for (table, content) in zip(tables, contents) {
      let ours = new.values[table.key]
      var failure = content.failure.map { SharedStorageError(code: "broken", message: $0) }
      do throws(SharedStorageError) {
        let defaultValue = values.declaration(of: table.key)?.value
        let value = try table.take(content, ours: ours, default: defaultValue)
        if value != ours { new.values[table.key] = value }
      } catch {
        failure = error
      }
      report(table, .load, failure, in: &new, values)
    }
  }

  /// Sets the status of a table's value, and tells of a failure.
  private func report(
    _ table: StoredTable, _ operation: SharedOperation, _ failure: SharedStorageError?,
    in new: inout SharedVersion, _ values: SharedValues
  ) {
    guard new.setStatus(of: table.key, operation, failure, table.file), let failure else { return }
    values.tell(failure, of: table.key, operation, in: table.file)
  }

  // MARK: Other times

  /// Commits the values in the tables of a file that differ from the database. Called when no action has changed them: for a new
  /// try, a request, or a change of the file by another program. Stores and observers then take over what has changed.
  ///
  /// - Parameter isBehind: whether the file is read first.
  private func commitAgain(_ file: String, of values: SharedValues, isBehind: Bool = false) {
    files.withLock { files in
      files[file, default: File()].schedule.next = nil
      if isBehind { files[file]?.isBehind = true }
    }
    let hasChanged = values.changeUnstored { new in
      if !values.hasEndedSaving { commitFile(file, to: &new, of: values) }
    }
    if hasChanged { values.tellOthers() }
  }

  private func retry(_ file: String, of values: SharedValues) {
    let planned: UInt64? = files.withLock { files in
      let delay = files[file, default: File()].schedule.didFail()
      return values.savesInBackground ? files[file]?.schedule.plan(after: delay) : nil
    }
    guard let time = planned else { return }
    queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: time)) { [weak self, weak values] in
      guard let self, let values, files.withLock({ $0[file]?.schedule.next }) == time else {
        return
      }
      commitAgain(file, of: values)
    }
  }

  func perform(
    _ request: SharedOperation, _ key: SharedIdentity, of values: SharedValues,
    _ done: @escaping @Sendable () -> Void
  ) {
    guard let file = table(with: key)?.file else { return done() }
    queue.async { [self] in
      commitAgain(file, of: values, isBehind: request == .load)
      done()
    }
  }

  func performAtOnce(_ request: SharedOperation, _ key: SharedKey, of values: SharedValues) {
    queue.sync { commitAgain(key.fileName, of: values, isBehind: request == .load) }
  }

  /// Writes all tables that have to be written, and returns when that has been tried.
  func flush(_ values: SharedValues) {
    if values.hasEndedSaving { return }
    let changed = tables.withLock { $0 }.filter { $0.state.withLock(\.isChanged) }
    let commit = { for file in Set(changed.map(\.file)) { self.commitAgain(file, of: values) } }
    // A handler of the host that hears of a failure may release the host, on this very thread.
    if DispatchQueue.getSpecific(key: SharedTables.isOnQueue) == true {
      commit()
    } else {
      queue.sync(execute: commit)
    }
    database.flush()
  }
}
