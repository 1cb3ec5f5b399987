import LuaBridge

/// The alarms of a store under test. A test has asserted the alarms that it has read.
extension TestStoreCore {
  /// The alarms that are set, in the order of their times. They count as asserted from then on.
  package func readAlarms() -> [AlarmDescription] {
    runUntilIdle()
    let alarms = setAlarms
    assertedAlarms.formUnion(alarms.map(\.number))
    return alarms.map(\.description)
  }

  /// The alarms that are set and not asserted.
  var unassertedAlarms: [AlarmDescription] {
    setAlarms.filter { !assertedAlarms.contains($0.number) }.map(\.description)
  }

  /// Lets the alarms that are set now be set at the end of the test.
  package func skipAlarms(strict: Bool) -> String? {
    runUntilIdle()
    if unassertedAlarms.isEmpty && strict { return "there were no alarms to skip" }
    _ = readAlarms()
    return nil
  }

  /// The failure of a test at whose end alarms are set; nil if there are none.
  var alarmsAtEnd: String? {
    let alarms = unassertedAlarms
    guard let list = alarmList else { return nil }
    return """
      \(Self.count(alarms.count, "alarm")) \(alarms.count == 1 ? "is" : "are") still set at the end of the test:
      \(list)

      Let time pass by clock:advance(…) and receive what comes, or cancel them (effect.cancelAlarm). If they are to be set \
      then, assert that by reading store.alarms, or leave them out by skipAlarms().
      """
  }

  /// The unasserted alarms as lines; nil if there are none.
  var alarmList: String? {
    let alarms = unassertedAlarms
    return alarms.isEmpty ? nil : Self.lines(alarms[...]) { "\($0)" }
  }
}

extension TestStoreNatives {
  /// Adds testAlarms(store) and testSkipAlarms(store, strict?).
  func addAlarms(to table: LuaTable) throws(ScriptError) {
    try define(in: table, "testAlarms") { natives, arguments in
      let alarms = try natives.anyStore(arguments).readAlarms().map(\.forTests)
      return .values([.value(.array(Value.List(alarms)))])
    }
    try define(in: table, "testSkipAlarms") { natives, arguments in
      let store = try natives.store(arguments)
      return natives.end(store, store.skipAlarms(strict: arguments.at(1).bool ?? true))
    }
  }
}

extension AlarmDescription {
  /// As a test in Lua gets it, with the action as `receive` takes it.
  fileprivate var forTests: Value {
    var object: Value.Object = ["id": id, "action": .string(action.path)]
    if !action.payload.isEmpty { object["payload"] = .object(action.payload) }
    if let date {
      object["at"] = Self.number(date)
    } else {
      object["seconds"] = Self.number(left / .seconds(1))
    }
    if !place.isEmpty { object["place"] = .string(place) }
    return .object(object)
  }

  private static func number(_ number: Double) -> Value {
    Int64(exactly: number).map { .integer($0) } ?? .float(number)
  }
}
