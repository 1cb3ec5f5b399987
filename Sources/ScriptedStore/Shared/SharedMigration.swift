import LuaBridge

/// A stored value whose key has a newer version in the scripts of a reload.
struct SharedMigration {
  let key: SharedKey
  let oldVersion: Int
  /// The value before and after the migration.
  let old: Value
  let new: Value
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
      try values.requireSameFormat(key)
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
      let new: Value
      do throws(ScriptError) {
        new = try key.migrated(old, from: declared.version)
        try key.check(new)
      } catch {
        throw ScriptError(
          "\(key.origin): the shared value '\(key.name)' cannot be migrated: \(error.message)")
      }
      migrations[key.identity] = SharedMigration(
        key: key, oldVersion: declared.version, old: old, new: new)
    }
    return Array(migrations.values)
  }
}

extension SharedValues {
  /// Takes over migrated values, unless another worker has done so in the same reload. Returns whether there
  /// were any.
  func take(_ migrations: [SharedMigration]) -> Bool {
    var hasTaken = false
    for migration in migrations {
      let key = migration.key
      guard let file = saver?.file(named: key.fileName),
        renew(key, from: migration.oldVersion)
      else { continue }
      hasTaken = true
      alone { current in
        // Together with the value, so that no text has a value of the other version.
        file.state.withLock { state in
          state.version = key.version
          state.migratedFrom = state.migratedFrom ?? migration.oldVersion
        }
        let value = current.values[key.identity]
        // Another program may have changed the file since.
        let isSame = value == migration.old
        current.values[key.identity] =
          isSame
          ? migration.new
          : value.flatMap { try? key.migrated($0, from: migration.oldVersion) } ?? migration.new
      }
    }
    return hasTaken
  }
}
