import LuaBridge

/// The keys whose values are tables of a database.
extension SharedValues {
  /// What a key finds in its table.
  private struct Found {
    var rows: Value.List?
    var failure: SharedStorageError?
    var isMigrated = false
  }

  /// Connects the tables with the values: for commits without a change, and for reports of failures.
  func connect(_ tables: SharedTables) {
    tables.connect(
      SharedTables.Host(
        commit: { [weak self] in
          if let self, change({ _ in }) { tellOthers() }
        },
        report: { [weak self] reports in
          guard let self else { return }
          var isNews = false
          for report in reports {
            let (table, failure) = (report.table, report.failure)
            isNews = setStatus(table.key, report.field, failure, table.file) || isNews
            guard let failure = report.failure else { continue }
            tell(
              failure, of: table.key, report.field == "loadError" ? .loaded : .saved,
              in: SharedFailures.Place(file: table.file, isTable: true))
          }
          if isNews { tellOthers() }
        }))
  }

  /// Throws if a file is the database of a key and the file of another one.
  func requireOwnFile(_ key: SharedKey) throws(ScriptError) {
    let isTaken =
      key.kind == .database
      ? saver?.file(named: key.fileName) != nil
        || key.fileName.lowercased() == SharedKey.appStorageFile
      : tables?.hasFile(named: key.fileName) == true
    guard !isTaken else {
      throw ScriptError(
        "\(key.origin): the file '\(key.fileName)' of the shared value '\(key.name)' is that of another kind of key; give it another name"
      )
    }
  }

  /// Throws if a key that is declared already has another table.
  func requireSameTable(_ key: SharedKey) throws(ScriptError) {
    guard let known = tables?.table(with: key.identity) else { return }
    guard known.file == key.fileName, known.table.id == key.rowID else {
      throw ScriptError(
        "the shared value '\(key.name)' at \(key.origin) has another `file` or `id` than where it was declared first; declare the key once"
      )
    }
  }

  /// Throws if a key that is declared already has a file of another format.
  func requireSameFormat(_ key: SharedKey) throws(ScriptError) {
    guard let file = saver?.file(with: key.identity), file.hasFormat != key.hasFormat else {
      return
    }
    throw ScriptError(
      """
      the file '\(file.name)' of the shared value '\(key.name)' at \(key.origin) has \(file.hasFormat ? "no " : "")`encode` and \
      `decode`, other than where it was declared first; declare the key once, or start the program again
      """)
  }

  /// Declares a key whose value is a table, and reads it.
  func openTable(_ key: SharedKey) throws(ScriptError) -> Opened {
    guard let tables else {
      throw ScriptError(
        """
        \(key.origin): the value of '\(key.name)' is stored in a database, and this host has none; give it one with \
        `Configuration.database` (`--shared FOLDER` of a runner that `make build` has made)
        """)
    }
    return try tables.open { () throws(ScriptError) in
      guard declaration(of: key.identity) == nil else { return Opened() }
      let first = try key.firstValue() ?? .array([])
      guard first.array != nil else {
        throw ScriptError(
          "\(key.origin): the default of the shared value '\(key.name)' must be a list of rows")
      }
      let table = StoredTable(key)
      let found = find(key, table, tables.database)
      tables.add(table)
      let declaration = Declaration(
        value: try key.plainDefault(), origin: key.origin, version: key.version,
        hasCheck: key.hasCheck)
      _ = declare(key.identity, declaration, first: found.rows.map { .array($0) } ?? first)
      table.state.withLock { state in
        state.isOpening = false
        state.isChanged = found.isMigrated
        state.hasLoadError = found.failure != nil
      }
      setStatus(key.identity, "loadError", found.failure, key.fileName)
      if found.isMigrated { tables.request(table.file) }
      return Opened(failure: found.failure, hasDefault: found.rows == nil)
    }
  }

  private func find(
    _ key: SharedKey, _ table: StoredTable, _ database: any SharedDatabase
  ) -> Found {
    do throws(SharedStorageError) {
      let content = try database.read([table.table], in: table.file)[0]
      guard let rows = content.rows else { return Found() }
      table.state.withLock { state in
        state.saved = rows
        state.base = .table
      }
      var found = try adapted(rows, content, key, table)
      found.failure = content.failure.map { SharedStorageError(code: "broken", message: $0) }
      return found
    } catch {
      // What cannot be read is not written either, except for rows that `check` refuses.
      if error.code != "invalid" { table.state.withLock { $0.refusal = error } }
      return Found(failure: error)
    }
  }

  /// Migrates and checks what was read.
  private func adapted(
    _ rows: Value.List, _ content: SharedTable.Content, _ key: SharedKey, _ table: StoredTable
  ) throws(SharedStorageError) -> Found {
    var found = Found(rows: rows)
    guard content.version <= key.version else {
      throw SharedStorageError(
        code: "newer",
        message: "it has version \(content.version), and the scripts know up to \(key.version)")
    }
    if content.version < key.version {
      do throws(ScriptError) {
        found.rows = try key.migrated(.array(rows), from: content.version).array
        found.isMigrated = true
      } catch {
        throw SharedStorageError(code: "migration", message: "\(error)")
      }
    }
    do throws(ScriptError) {
      guard let rows = found.rows else { throw ScriptError("migrate returned no list of rows") }
      try key.check(.array(rows))
    } catch {
      table.state.withLock { $0.base = .newTable(keepingOldAs: "broken") }
      throw SharedStorageError(code: "invalid", message: "\(error)")
    }
    if found.isMigrated {
      table.state.withLock { $0.base = .newTable(keepingOldAs: "v\(content.version)") }
    }
    return found
  }
}
