import LuaBridge

// Which stored keys can be declared, and which values they can have.
extension SharedValues {
  /// Throws if there is no place for the value of a stored key.
  func requirePlace(for key: SharedKey) throws(ScriptError) {
    if key.kind == .database, tables == nil {
      throw ScriptError(
        """
        \(key.origin): the value of '\(key.name)' is stored in a database, and this host has none; give it one with \
        `Configuration.database` (`--shared FOLDER` of a runner that `make build` has made)
        """)
    }
    if key.kind != .database, saver == nil {
      throw ScriptError(
        """
        \(key.origin): the value of '\(key.name)' is stored, and this host has no place for stored values; give it one \
        with `Configuration.shared` (`--shared FOLDER` of the runner)
        """)
    }
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

  /// Throws if a host, a tool, a test or the first state of a store cannot give a value to a stored or custom key, because
  /// the next start would not use it. ``StoreSharing/checkWritten(from:)`` is the same for actions. No value is allowed, and the next start begins with the default.
  ///
  /// - Parameter check: calls the key's `check`.
  func requireUsable(
    _ value: Value?, of key: SharedIdentity, check: (Value) throws(ScriptError) -> Void
  ) throws(ScriptError) {
    guard let value, key.kind?.hasStatus == true, let declaration = declaration(of: key) else {
      return
    }
    do throws(ScriptError) {
      try SharedKey.requireType(of: value, like: declaration.value, as: "the new value")
      try check(value)
    } catch {
      var refusal = error
      refusal.message = "the shared value \(key) cannot be set: \(error.message)"
      throw refusal
    }
  }
}
