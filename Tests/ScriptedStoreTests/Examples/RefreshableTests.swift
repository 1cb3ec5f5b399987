import ScriptedStore
import Testing

/// The Refreshable example of the repository.
struct RefreshableTests {
  private let facts = Facts()

  private func session() throws -> Example {
    try Example("refreshable", dependencies: ["numberFact": facts.dependency])
  }

  @Test func refreshingTakesUntilTheFactIsThere() async throws {
    let session = try session()
    session.store.send("incrementButtonTapped")
    session.store.send("incrementButtonTapped")
    session.store.send("decrementButtonTapped")
    let task = session.store.send("refresh")
    #expect(session.store.effects.map(\.waitingOn) == ["numberFact.fetch"])
    await facts.answer("1 is the loneliest number.")
    await task.finish()
    #expect(session.store.state == ["count": 1, "fact": "1 is the loneliest number."])
    #expect(session.isWell, "\(session.complaints)")
  }

  @Test func refreshingTakesTheOldFactAway() async throws {
    let session = try session()
    let task = session.store.send("refresh")
    await facts.answer("0 is round.")
    await task.finish()
    let again = session.store.send("refresh")
    #expect(session.store.state == ["count": 0])
    await facts.answer(nil)
    await again.finish()
    #expect(session.store.state == ["count": 0])
    #expect(session.isWell, "\(session.complaints)")
  }

  @Test func itIsCancelledByTheButton() async throws {
    let session = try session()
    let task = session.store.send("refresh")
    session.store.send("cancelButtonTapped")
    await task.finish()
    #expect(session.store.state == ["count": 0])
    #expect(session.actions.all == ["input refresh", "input cancelButtonTapped"])
  }

  @Test func itIsCancelledByItsTask() async throws {
    let session = try session()
    let task = session.store.send("refresh")
    task.cancel()
    await task.finish()
    #expect(task.isCancelled)
    #expect(session.store.effects.isEmpty)
    #expect(session.store.state == ["count": 0])
  }

  @Test func theExampleSessionRunsWithoutAWord() throws {
    let session = try Example(
      "refreshable", dependencies: ["numberFact": .client(["fetch": Example.stub("number_fact")])])
    try session.play("refreshable")
    #expect(session.isWell, "\(session.complaints)")
    #expect(session.sent == ["factResponse", "factResponse"])
    #expect(session.store.state == ["count": 3, "fact": "3 is an odd number."])
    #expect(session.store.effects.isEmpty)
  }
}
