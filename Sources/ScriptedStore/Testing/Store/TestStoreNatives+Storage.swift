import LuaBridge

/// The Swift functions behind `test.storage`.
extension TestStoreNatives {
  func addStorage(to table: LuaTable) throws(ScriptError) {
    func define(
      _ name: String, _ body: @escaping (Engine, TestStorage, [LuaValue]) throws -> LuaValue
    ) throws(ScriptError) {
      try self.define(in: table, name) { natives, arguments in
        try natives.requireTest(
          ScriptError("the stored values of a test are for the test, not for reducers or effects"))
        return .values([try body(natives.engine, natives.engine.testStorage, arguments)])
      }
    }
    // testStorageRead(name), testStorageWrite(name, text?), testStorageNames()
    try define("testStorageRead") { _, storage, arguments in
      storage.text(of: arguments.at(0).string ?? "").map { .string($0) } ?? .nil
    }
    try define("testStorageWrite") { engine, storage, arguments in
      storage.edit(arguments.at(0).string ?? "", bytes: arguments.at(1).bytes)
      engine.runUntilIdle()
      return .nil
    }
    // testStorageRename(name, new)
    try define("testStorageRename") { engine, storage, arguments in
      let name = arguments.at(0).string ?? ""
      guard let bytes = storage.bytes(of: name) else {
        throw ScriptError("test.storage.rename: there is no file '\(name)'")
      }
      storage.edit(name, bytes: nil)
      storage.edit(arguments.at(1).string ?? "", bytes: bytes)
      engine.runUntilIdle()
      return .nil
    }
    // testStorageGet(name), testStorageSet(name, value?): a value of `appStorage`.
    try define("testStorageGet") { _, storage, arguments in
      try storage.appValues(for: "get")[arguments.at(0).string ?? ""].map { LuaValue($0) } ?? .nil
    }
    try define("testStorageSet") { engine, storage, arguments in
      let new = try arguments.at(1).stateValue(named: "value")
      guard new != nil || arguments.at(1).isNil else {
        throw ScriptError(
          "bad argument #2 to 'test.storage.set' (a value of state is expected, got \(arguments.at(1).typeName))"
        )
      }
      var values = try storage.appValues(for: "set")
      values[arguments.at(0).string ?? ""] = new
      storage.edit(
        SharedKey.appStorageFile, bytes: Array(Value.object(values).json(.pretty).utf8))
      engine.runUntilIdle()
      return .nil
    }
    // testStorageClock(clock)
    try define("testStorageClock") { engine, _, arguments in
      engine.sharing.storageClock = try DoubleNatives.clock(arguments.at(0))
      return .nil
    }
    // timeHasPassed(): a test clock was advanced.
    try table.define("timeHasPassed", as: "advance") { [unowned(unsafe) self] _ in
      if engine.sharing.storageClock != nil { engine.runUntilIdle() }
      return .values([])
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
    if let storage = sharing.values.files?.storage as? TestStorage { return storage }
    let storage = TestStorage()
    sharing.reset(storage, storage)
    return storage
  }

  /// Gives a test shared values and files of its own, unless the test before has used none.
  func beginTestStorage() {
    sharing.storageClock = nil
    guard sharing.values.isUsed || testStorage.isUsed else { return }
    let storage = TestStorage()
    sharing.reset(storage, storage)
  }

  /// Ends the values of the stores that exist, as the end of their process would. Stores that are made
  /// from now on read the files again.
  ///
  /// - Parameter isKilled: whether the process is killed: what is not written yet is in the journals.
  func restartStorage(_ storage: TestStorage, isKilled: Bool) {
    if !isKilled { sharing.values.flush(inside: self) }
    sharing.values.endSaving()
    storage.forgetTimes()
    sharing.reset(storage, storage)
  }

  /// Writes the files of the test: with each statement or, if the test gave a clock, each file at most once in its
  /// interval.
  func saveTestStorage() {
    let now = sharing.storageClock?.now
    sharing.values.flush(inside: self) { [testStorage] file in
      guard let now else { return true }
      let interval = file.state.withLock(\.schedule.interval)
      return testStorage.mayWrite(file.name, at: now, nextAt: now + Int64(interval / 1000))
    }
  }
}
