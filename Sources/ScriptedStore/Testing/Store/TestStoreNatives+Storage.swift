import LuaBridge

/// The Swift functions behind `test.storage`.
extension TestStoreNatives {
  func addStorage(to table: LuaTable) throws(ScriptError) {
    func define(
      _ name: String, _ body: @escaping (Engine, TestStorage, [LuaValue]) throws -> LuaValue
    ) throws(ScriptError) {
      try table.define(name, as: name) { [unowned(unsafe) self] arguments in
        guard engine.effects.isOutside else {
          throw ScriptError(
            "the stored values of a test are for the test, not for reducers or effects")
        }
        return .values([try body(engine, engine.testStorage, arguments)])
      }
    }
    // testStorageRead(name), testStorageWrite(name, text?), testStorageNames()
    try define("testStorageRead") { _, storage, arguments in
      storage.text(of: arguments.at(0).string ?? "").map { .string($0) } ?? .nil
    }
    try define("testStorageWrite") { engine, storage, arguments in
      storage.edit(arguments.at(0).string ?? "", arguments.at(1).string)
      engine.runUntilIdle()
      return .nil
    }
    try define("testStorageNames") { _, storage, _ in
      .value(.array(Value.List(storage.names.map { .string($0) })))
    }
    // testStorageFail(code?, name?)
    try define("testStorageFail") { _, storage, arguments in
      storage.fail(arguments.at(0).string, arguments.at(1).string)
      return .nil
    }
    // testStorageRestart(isKilled)
    try define("testStorageRestart") { engine, storage, arguments in
      engine.restartStorage(storage, isKilled: arguments.at(0).bool == true)
      return .nil
    }
  }
}

extension Engine {
  /// The files of the test. The first call in a test gives the stores that are made from now on values of
  /// their own.
  var testStorage: TestStorage {
    if let storage = shared.saver?.storage as? TestStorage { return storage }
    let storage = TestStorage()
    resetShared(storage, storage)
    return storage
  }

  /// Gives a test shared values and files of its own, unless the test before has used none.
  func beginTestStorage() {
    guard shared.isUsed || testStorage.isUsed else { return }
    let storage = TestStorage()
    resetShared(storage, storage)
  }

  /// Ends the values of the stores that exist, as the end of their process would. Stores that are made
  /// from now on read the files again.
  ///
  /// - Parameter isKilled: whether the process is killed: what is not written yet is in the journals.
  func restartStorage(_ storage: TestStorage, isKilled: Bool) {
    if !isKilled { shared.flush(inside: self) }
    shared.endSaving()
    resetShared(storage, storage)
  }
}
