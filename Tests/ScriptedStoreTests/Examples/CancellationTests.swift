import LuaBridge
import ScriptedStore
import Testing

/// The Cancellation example of the repository.
struct CancellationTests {
  private let facts = Facts()

  private func session(_ count: Int64 = 0) throws -> Example {
    try Example(
      "cancellation", state: ["count": .integer(count)],
      dependencies: ["numberFact": facts.dependency])
  }

  @Test func aFactIsFetchedAndShown() async throws {
    let session = try session(3)
    let task = session.store.send("factButtonTapped")
    #expect(session.store.state == ["count": 3, "isFactRequestInFlight": true])
    await facts.answer("3 is prime.")
    await task.finish()
    #expect(
      session.store.state
        == ["count": 3, "isFactRequestInFlight": false, "currentFact": "3 is prime."])
    #expect(facts.asked.all == [3])
    #expect(session.isWell, "\(session.complaints)")
  }

  @Test func aFailureLeavesNoFact() async throws {
    let session = try session(3)
    let task = session.store.send("factButtonTapped")
    await facts.answer(nil)
    await task.finish()
    #expect(session.store.state == ["count": 3, "isFactRequestInFlight": false])
    #expect(session.isWell, "\(session.complaints)")
  }

  @Test(arguments: ["cancelButtonTapped", "stepperChanged"])
  func theRequestIsCancelled(by action: String) async throws {
    let session = try session(3)
    let task = session.store.send("factButtonTapped")
    try session.store.send(action, action == "stepperChanged" ? 4 : nil)
    await task.finish()
    #expect(
      session.store.state
        == ["count": action == "stepperChanged" ? 4 : 3, "isFactRequestInFlight": false])
    #expect(session.store.effects.isEmpty)
    #expect(session.actions.all.allSatisfy { $0.hasPrefix("input") })
    #expect(session.isWell, "\(session.complaints)")
  }

  @Test func aChangeTakesTheFactAway() async throws {
    let session = try session(3)
    let task = session.store.send("factButtonTapped")
    await facts.answer("3 is prime.")
    await task.finish()
    try session.store.send("stepperChanged", 4)
    #expect(session.store.state == ["count": 4, "isFactRequestInFlight": false])
  }

  @Test func ofTwoRequestsTheLaterOneAnswers() async throws {
    let session = try session(3)
    let first = session.store.send("factButtonTapped")
    let second = session.store.send("factButtonTapped")
    await first.finish()
    #expect(session.store.effects.count == 1)
    await facts.answer("3 is odd.")
    await second.finish()
    #expect(session.store.state["currentFact"] == "3 is odd.")
    #expect(session.actions.all.filter { $0.hasPrefix("effect") }.count == 1)
  }

  @Test func previewsNeedNoService() async throws {
    let session = try Example("cancellation", context: .preview)
    await session.store.send("factButtonTapped").finish()
    #expect(session.store.state["currentFact"] == "0 is a good number.")
  }

  @Test func aHostWithoutHTTPFailsTheRequestOnly() async throws {
    let session = try Example("cancellation")
    await session.store.send("factButtonTapped").finish()
    #expect(session.store.state == ["count": 0, "isFactRequestInFlight": false])
    #expect(session.isWell, "\(session.complaints)")
  }

  @Test func theExampleSessionRunsWithoutAWord() throws {
    let session = try Example(
      "cancellation", dependencies: ["numberFact": .client(["fetch": Example.stub("number_fact")])])
    try session.play("cancellation")
    #expect(session.isWell, "\(session.complaints)")
    #expect(session.sent == ["factResponse", "factResponse", "factResponse"])
    #expect(session.store.state == ["count": -1, "isFactRequestInFlight": false])
    #expect(session.store.effects.isEmpty)
  }
}
