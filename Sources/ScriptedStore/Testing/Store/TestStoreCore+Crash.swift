import LuaBridge

/// The loss of the process, for tests of what a store does when it comes back.
extension TestStoreCore {
  /// Does what a lost process does: gives transient fields their defaults, cancels the effects in flight, and sends
  /// `recovered` where there were some, which the test receives. Fails as ``send(_:transaction:)`` does.
  package func crash() throws(ScriptError) -> Outcome {
    switch prepare("the store was not crashed") {
    case .failure(let failure): return .failure(failure)
    case .ready(let skipped):
      let (before, after) = try lose()
      let assertion = StateAssertion(
        statement: .crash, exhaustivity: exhaustivity, before: before, after: after)
      return .step(assertion, skipped: skipped, task: nil)
    }
  }
}

extension TestStoreNatives {
  /// Adds testCrash(store, expect?).
  func addCrash(to table: LuaTable) throws(ScriptError) {
    try define(in: table, "testCrash", asValues: true) { natives, arguments in
      let store = try natives.store(arguments)
      let expect = try natives.expectation(arguments.at(1), of: store)
      return try natives.end(store, try store.crash(), expect)
    }
  }
}
