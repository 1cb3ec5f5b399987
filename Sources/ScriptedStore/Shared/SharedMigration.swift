import LuaBridge

/// A stored value whose key has a newer version in the scripts of a reload.
struct SharedMigration {
  let key: SharedKey
  let oldVersion: Int
  /// The value before and after the migration.
  private(set) var old: Value
  private(set) var new: Value

  /// Calls the functions of the script.
  init(_ old: Value, of key: SharedKey, from oldVersion: Int) throws(ScriptError) {
    (self.key, self.oldVersion, self.old) = (key, oldVersion, old)
    new = try key.migrated(old, from: oldVersion)
    try key.check(new)
  }

  /// Migrates another value. One that cannot be migrated is lost.
  fileprivate mutating func renew(for value: Value) {
    let other = try? key.table.vm.turn { () throws(ScriptError) in
      try SharedMigration(value, of: key, from: oldVersion)
    }
    (old, new) = (value, other?.new ?? new)
  }
}

/// The migration of stored values by a reload: with the states of the stores, or nothing reloads.
extension WorkerSharing {
  /// Migrates the values of keys whose version is newer in the new code. Changes nothing yet.
  ///
  /// - Throws: what a `migrate` raises, or why a value cannot be migrated while the program runs.
  func migrations(for domains: [Domain]) throws(ScriptError) -> [SharedMigration] {
    guard values.isStoring else { return [] }
    var migrations: [SharedIdentity: SharedMigration] = [:]
    for key in FeatureWalk(domains).keys where key.isStored && migrations[key.identity] == nil {
      try values.storage(of: key.kind)?.requireSame(key)
      guard let declared = values.declaration(of: key.identity), declared.version != key.version
      else { continue }
      guard key.version > declared.version, key.kind == .fileStorage else {
        throw ScriptError(
          """
          \(key.origin): the shared value '\(key.name)' has version \(declared.version) in the running program and \(key.version) \
          in the new scripts; \(key.version > declared.version ? "start the program again to migrate it" : "a version never goes down")
          """)
      }
      guard let old = values.version.values[key.identity] else { continue }
      do throws(ScriptError) {
        migrations[key.identity] = try SharedMigration(old, of: key, from: declared.version)
      } catch {
        throw ScriptError(
          "\(key.origin): the shared value '\(key.name)' cannot be migrated: \(error.message)")
      }
    }
    return Array(migrations.values)
  }
}

extension SharedValues {
  /// Takes over migrated values, unless another worker has done so in the same reload. Returns whether there
  /// were any.
  func take(_ migrations: [SharedMigration]) -> Bool {
    var hasTaken = false
    for var migration in migrations {
      guard let file = files?.file(named: migration.key.fileName) else { continue }
      // The host or another program may have changed the value since. `migrate` is a function of a script, which may take long
      // and use other shared values, so it runs outside of the lock of the values.
      while let value = alone({ take(migration, in: file, &$0, &hasTaken) }) {
        migration.renew(for: value)
      }
    }
    return hasTaken
  }

  /// Takes over a migrated value, and the version together with it, so that no text has a value of the other version.
  ///
  /// - Returns: the value of now, if it is another one than was migrated. Then nothing has changed.
  private func take(
    _ migration: SharedMigration, in file: StoredFile, _ current: inout SharedVersion,
    _ hasTaken: inout Bool
  ) -> Value? {
    let key = migration.key
    guard declaration(of: key.identity)?.version == migration.oldVersion else { return nil }
    if let value = current.values[key.identity], value != migration.old { return value }
    renew(key)
    file.state.withLock { state in
      state.version = key.version
      state.migratedFrom = state.migratedFrom ?? migration.oldVersion
    }
    current.values[key.identity] = migration.new
    hasTaken = true
    return nil
  }
}
