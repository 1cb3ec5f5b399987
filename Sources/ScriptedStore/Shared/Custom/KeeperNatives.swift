import LuaBridge

/// The Swift functions behind `key:load()` and `key:save()`, and those that keepers call (`keeper.lua`).
enum KeeperNatives {
  static func add(to table: LuaTable, _ scheduler: SchedulerLink) throws(ScriptError) {
    // sharedRequest(key, "load" or "save")
    try table.define("sharedRequest", as: "key:load") { arguments in
      let runner = try scheduler.running()
      let key = try SharedKey(argument: arguments.at(0))
      let request = arguments.at(1).string.flatMap(SharedOperation.init) ?? .load
      guard key.kind.hasStatus else {
        throw ScriptError("\(key) is not stored, so there is nothing to \(request.rawValue)")
      }
      let use = SharedUse(of: key.identity, runner.engine.sharing.values.uses)
      _ = try runner.engine.sharing.values.versionDeclaring(key)
      if key.isKept { try runner.engine.sharing.keep(key) }
      let (values, identity) = (runner.engine.sharing.values, key.identity)
      let path = key.isStored ? key.fileName : key.name
      if let result = values.performAtOnce(request, key) {
        try result.mapError { $0.raised(for: path) }.get()
        return .values([])
      }
      return try runner.wait(for: "key:\(request.rawValue)()", in: scheduler.vm) {
        defer { withExtendedLifetime(use) {} }
        do throws(SharedStorageError) {
          try await values.perform(request, identity)
        } catch {
          throw error.raised(for: path)
        }
        return nil
      }
    }
    // sharedMerge(ours, theirs, base): the value with both changes; where both changed the same, with ours.
    try table.define("sharedMerge", as: "value", tablesAsValues: true) { arguments in
      let merge = ValueMerge(
        ours: Value(arguments.at(0)), theirs: Value(arguments.at(1)), base: Value(arguments.at(2)))
      return .values([merge.value.map { LuaValue($0) } ?? .nil])
    }
    // sharedRequire(key, value): raises if the value cannot be one of the key's.
    try table.define("sharedRequire", as: "value") { arguments in
      let key = try SharedKey(argument: arguments.at(0))
      guard let value = try arguments.at(1).stateValue(named: "what \(key) has loaded") else {
        throw ScriptError(
          "\(key) has loaded \(arguments.at(1).typeNameWithArticle), which is no value of state")
      }
      try key.requireType(of: value)
      try key.check(value)
      return .values([])
    }
    // sharedAnswer(tickets, failure?)
    try table.define("sharedAnswer", as: "tickets", tablesAsValues: true) { arguments in
      let tickets = Value(arguments.at(0))?.array?.compactMap(\.int) ?? []
      let failure = Value(arguments.at(1)).flatMap { SharedStorageError(fields: $0) }
      try scheduler.running().engine.sharing.values.keepers.answer(tickets, failure)
      return .values([])
    }
    // sharedFailed(key, "load" or "save", failure): tells of a failure that no feature shows.
    try table.define("sharedFailed", as: "failure") { arguments in
      let key = try SharedKey(argument: arguments.at(0))
      guard case .table(let caught) = arguments.at(2),
        let failure = SharedStorageError(fields: try caught.value(named: "failure")),
        let operation = arguments.at(1).string.flatMap(SharedOperation.init)
      else { return .values([]) }
      try scheduler.running().engine.sharing.values.failures.tell(
        failure, of: key.identity, operation, in: nil, origin: key.origin)
      return .values([])
    }
  }
}
