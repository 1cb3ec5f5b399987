import Dispatch
import LuaBridge
import Synchronization

/// Commits the shared values of `database` keys, on the thread of the action:
///
///     SharedAttempt.run ─▶ StoreSharing.publish ─▶ SharedValues.publish ─▶ commit ─▶ SharedDatabase.write
///
/// 1. What an action has changed in the tables of one file is one transaction. It is committed before any
///    other thread can read the new values, while no action can change them.
/// 2. If others have changed the file meanwhile, it is read first, and both changes are merged.
/// 3. After a failure the values stay. The difference to what the database has is committed with the next
///    change of a value in the file, and after 1, 2, 4 … 60 seconds.
/// 4. The values own this object, and are an argument of what needs them. What is done later does not retain them.
final class SharedTables: Sendable {
  let database: any SharedDatabase
  private let tables = Mutex<[StoredTable]>([])
  private let hasTables = Atomic<Bool>(false)
  private let files = Mutex<[String: File]>([:])
  private let queue = DispatchQueue(label: "ScriptedStore.tables")
  /// Marks the queue's thread.
  private static let isOnQueue = DispatchSpecificKey<Bool>()

  private struct File {
    /// Whether others have changed the file, so that it has to be read.
    var isBehind = false
    /// Whether the values are committed even if none has changed.
    var isRequested = false
    var failures = 0
    var hasTimer = false
  }

  init(_ database: any SharedDatabase) {
    self.database = database
    queue.setSpecific(key: SharedTables.isOnQueue, value: true)
  }

  /// Hears of what others do to the files.
  func watch(for values: SharedValues) {
    database.watch { [weak self, weak values] file in
      self?.queue.async { [weak self, weak values] in
        if let self, let values { request(file, of: values, isBehind: true) }
      }
    }
  }

  var isUsed: Bool { hasTables.load(ordering: .acquiring) }

  // MARK: Tables

  func table(with key: SharedIdentity) -> StoredTable? {
    tables.withLock { tables in tables.first { $0.key == key } }
  }

  func hasFile(named name: String) -> Bool {
    tables.withLock { tables in tables.contains { $0.file.lowercased() == name.lowercased() } }
  }

  func add(_ table: StoredTable) {
    tables.withLock { $0.append(table) }
    hasTables.store(true, ordering: .releasing)
  }

  /// Forgets a table that has been let go of.
  func remove(_ table: StoredTable) {
    tables.withLock { tables in tables.removeAll { $0 === table } }
  }

  // MARK: Changes

  /// Commits what differs. Called before the new values can be read, while no action can change them.
  ///
  /// - Parameter new: gets what others have changed.
  func commit(from old: Value.Object, to new: inout SharedVersion, of values: SharedValues) {
    let all = tables.withLock { $0 }
    let changed = all.filter { old[$0.key] != new.values[$0.key] }
    for table in changed { table.didChange() }
    let requested = files.withLock { files in files.filter(\.value.isRequested).map(\.key) }
    if changed.isEmpty && requested.isEmpty { return }
    for file in Set(changed.map(\.file) + requested).sorted() {
      commit(file, all.filter { $0.file == file }, to: &new, of: values)
    }
  }

  private func commit(
    _ file: String, _ tables: [StoredTable], to new: inout SharedVersion, of values: SharedValues
  ) {
    let isBehind = files.withLock { files in
      defer {
        files[file]?.isBehind = false
        files[file]?.isRequested = false
      }
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
      files.withLock { $0[file]?.failures = 0 }
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

  /// Commits a file's values though none has changed.
  func request(_ file: String, of values: SharedValues, isBehind: Bool = false) {
    files.withLock { files in
      files[file, default: File()].isRequested = true
      if isBehind { files[file]?.isBehind = true }
    }
    // Without a change of its own it commits what was requested.
    if values.change({ _ in }) { values.tellOthers() }
  }

  /// Reads a table again, or commits it. Calls `done` when the status of its value is up to date.
  func perform(
    _ request: SharedOperation, _ table: StoredTable, of values: SharedValues,
    _ done: @escaping @Sendable () -> Void
  ) {
    queue.async { [self] in
      self.request(table.file, of: values, isBehind: request == .load)
      done()
    }
  }

  /// Does the same, and returns when it is done. For a test, in which nothing else uses the queue.
  func performAtOnce(_ request: SharedOperation, _ table: StoredTable, of values: SharedValues) {
    queue.sync { self.request(table.file, of: values, isBehind: request == .load) }
  }

  private func retry(_ file: String, of values: SharedValues) {
    let delay: UInt64? = files.withLock { files in
      var state = files[file] ?? File()
      defer { files[file] = state }
      state.failures += 1
      guard values.savesInBackground, !state.hasTimer else { return nil }
      state.hasTimer = true
      return SaveSchedule.delay(after: state.failures)
    }
    guard let delay else { return }
    queue.asyncAfter(deadline: .now() + .seconds(Int(delay))) { [weak self, weak values] in
      guard let self else { return }
      files.withLock { $0[file]?.hasTimer = false }
      if let values { request(file, of: values) }
    }
  }

  /// Commits the changes whose transactions have failed.
  func flush(_ values: SharedValues) {
    guard isUsed, !values.hasEndedSaving else { return }
    let changed = tables.withLock { $0 }.filter { $0.state.withLock(\.isChanged) }
    let commit = {
      for file in Set(changed.map(\.file)) { self.request(file, of: values) }
    }
    // A handler of the host that hears of a failure may release the host, on this very thread.
    if DispatchQueue.getSpecific(key: SharedTables.isOnQueue) == true {
      commit()
    } else {
      queue.sync(execute: commit)
    }
    database.flush()
  }
}
