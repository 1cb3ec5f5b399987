import ScriptedStore
import Testing

/// The Timers example of the repository.
struct TimersTests {
  private func session() throws -> Example { try Example("timers") }

  @Test func itCountsSecondsWhileItRuns() throws {
    let session = try session()
    session.store.send("toggleTimerButtonTapped")
    #expect(session.store.state == ["isTimerActive": true, "secondsElapsed": 0])
    session.clock.advance(by: .seconds(0.9))
    #expect(session.store.state["secondsElapsed"] == 0)
    session.clock.advance(by: .seconds(0.1))
    #expect(session.store.state["secondsElapsed"] == 1)
    session.clock.advance(by: .seconds(10))
    #expect(session.store.state["secondsElapsed"] == 11)
  }

  @Test func theSecondTapStopsIt() throws {
    let session = try session()
    session.store.send("toggleTimerButtonTapped")
    session.clock.advance(by: .seconds(2))
    session.store.send("toggleTimerButtonTapped")
    session.clock.advance(by: .seconds(5))
    #expect(session.store.state == ["isTimerActive": false, "secondsElapsed": 2])
    #expect(session.store.effects.isEmpty)
    #expect(session.isWell, "\(session.complaints)")
  }

  @Test func itGoesOnFromWhereItStopped() throws {
    let session = try session()
    for _ in 1...3 {
      session.store.send("toggleTimerButtonTapped")
      session.clock.advance(by: .seconds(1.5))
      session.store.send("toggleTimerButtonTapped")
    }
    #expect(session.store.state["secondsElapsed"] == 3)
  }

  @Test func itStopsWhenItsScreenGoes() throws {
    let session = try session()
    session.store.send("toggleTimerButtonTapped")
    session.store.send("onDisappear")
    session.clock.advance(by: .seconds(5))
    #expect(session.store.state == ["isTimerActive": false, "secondsElapsed": 0])
    #expect(session.store.effects.isEmpty)
  }

  @Test func whatRunsSaysWhatItIs() throws {
    let session = try session()
    session.store.send("toggleTimerButtonTapped")
    session.clock.advance(by: .seconds(2))
    let effect = try #require(session.store.effects.first)
    #expect(session.store.effects.count == 1)
    #expect(effect.feature == "Timers")
    #expect(effect.id == "timer")
    #expect(effect.action == "toggleTimerButtonTapped")
    #expect(effect.origin.hasPrefix("timers.lua:"))
    #expect(effect.waitingOn == "clock.sleep")
    #expect(effect.duration == .seconds(2))
  }

  @Test func theExampleSessionRunsWithoutAWord() throws {
    let session = try session()
    try session.play("timers")
    #expect(session.isWell, "\(session.complaints)")
    #expect(session.store.state == ["isTimerActive": false, "secondsElapsed": 4])
    #expect(session.store.effects.isEmpty)
  }
}
