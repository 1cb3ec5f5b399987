import ScriptedStore
import Testing

/// The LongLiving example of the repository.
struct LongLivingTests {
  private let screenshots = AsyncStream.makeStream(of: Int.self)

  private func session() throws -> Example {
    let stream = screenshots.stream
    return try Example(
      "long_living",
      dependencies: ["screenshots": .client(["taken": .stream { stream }])])
  }

  @Test func itCountsWhatHappensWhileItsScreenIsThere() async throws {
    let session = try session()
    let task = session.store.send("task")
    for number in 1...3 { screenshots.continuation.yield(number) }
    screenshots.continuation.finish()
    await task.finish()
    #expect(session.store.state == ["screenshotCount": 3])
    #expect(session.isWell, "\(session.complaints)")
  }

  @Test(arguments: [true, false])
  func itEndsWithItsScreen(byTask: Bool) async throws {
    let session = try session()
    let task = session.store.send("task")
    #expect(session.store.effects.map(\.waitingOn) == ["screenshots.taken"])
    if byTask { task.cancel() } else { session.store.send("onDisappear") }
    await task.finish()
    screenshots.continuation.yield(1)
    await session.store.finish()
    #expect(session.store.effects.isEmpty)
    #expect(session.store.state == ["screenshotCount": 0])
    #expect(session.isWell, "\(session.complaints)")
  }

  @Test func aPreviewTakesOneEveryFiveSeconds() throws {
    let session = try Example("long_living", context: .preview)
    session.store.send("task")
    session.clock.advance(by: .seconds(12))
    #expect(session.store.state == ["screenshotCount": 2])
  }

  @Test func aHostWithoutThemIsToldSo() throws {
    let session = try Example("long_living")
    session.store.send("task")
    #expect(session.warnings.all.map(\.kind) == [.effectError])
    #expect(session.store.effects.isEmpty)
  }

  @Test func theExampleSessionRunsWithoutAWord() throws {
    let session = try Example(
      "long_living", dependencies: ["screenshots": .client(["taken": Example.stub("screenshots")])])
    try session.play("long_living")
    #expect(session.isWell, "\(session.complaints)")
    #expect(session.store.state == ["screenshotCount": 3])
    #expect(session.store.effects.isEmpty)
  }
}
