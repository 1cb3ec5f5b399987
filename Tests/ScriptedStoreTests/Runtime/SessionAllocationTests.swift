import Foundation
import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// What a lack of memory does to whole sessions of the examples, from the loading of their scripts to their last effect.
@Suite struct SessionAllocationTests {
  struct Session: CustomTestStringConvertible {
    var name: String
    var dependencies: @Sendable () -> [String: Dependency] = { [:] }

    var testDescription: String { name }
  }

  static let sessions = [
    Session(name: "counter"), Session(name: "todos"), Session(name: "timers"),
    Session(name: "tic_tac_toe"), Session(name: "case_studies.animations"),
    Session(name: "cancellation") { ["numberFact": client("fetch", "number_fact")] },
    Session(name: "refreshable") { ["numberFact": client("fetch", "number_fact")] },
    Session(name: "long_living") { ["screenshots": client("taken", "screenshots")] },
    Session(name: "search") {
      [
        "weatherClient": .client([
          "search": Example.stub("places"), "forecast": Example.stub("forecast"),
        ])
      ]
    },
    Session(name: "voice_memos") {
      [
        "uuid": .incrementingUUID(), "audioPlayer": Example.stub("audio_player"),
        "audioRecorder": Example.stub("audio_recorder"),
      ]
    },
    Session(name: "sync_ups") {
      ["uuid": .incrementingUUID(), "speechClient": Example.stub("speech_client")]
    },
  ]

  private static func client(_ function: String, _ stub: String) -> Dependency {
    .client([function: Example.stub(stub)])
  }

  /// Of so many allocations one fails; `SWEEP_STEP=1` in the environment lets each of them fail, one in each run.
  private static let step =
    ProcessInfo.processInfo.environment["SWEEP_STEP"].flatMap { Int($0) } ?? 31

  /// A host for one run, whose VM can be made to fail before the session's scripts are loaded.
  private final class Run {
    let host: ScriptHost
    let clock = VirtualClock()
    let memory: Store
    let complaints = Recorder<String>()

    init() throws {
      let complaints = complaints
      var configuration = ScriptHost.Configuration(
        clock: clock, onWarning: { complaints.record("\($0)") },
        onError: { error, _ in complaints.record("\(error)") })
      configuration.shared = .memory
      host = try ScriptHost(root: Example.folder, configuration: configuration)
      memory = try host.store(Reducer.combine(), state: [:])
    }

    /// How many actions went through, of the session and its effects.
    func play(_ session: Session, _ lines: [Value]) throws -> Int {
      let store = try host.store(session.name, dependencies: session.dependencies())
      let actions = Recorder<Void>()
      let observation = store.onAction { _ in actions.record(()) }
      defer { observation.cancel() }
      for line in lines {
        if let seconds = line["wait"].double {
          clock.advance(by: .seconds(seconds))
        } else {
          try store.send(encoding: line)
        }
      }
      return actions.count
    }
  }

  /// After each failure, wherever it was, the same host plays the whole session well.
  @Test(arguments: sessions) func anyAllocationOfASessionMayFail(_ session: Session) throws {
    let lines = try Example.session(session.name)
    let whole = try Run().play(session, lines)
    #expect(whole > 0)
    var (failures, successes, wentThrough) = (0, Self.step / 2, false)
    while !wentThrough {
      let run = try Run()
      run.memory.failAllocations(after: successes)
      _ = try? run.play(session, lines)
      wentThrough = run.memory.hasFailedAllocation == false
      run.memory.failAllocations(after: nil)
      run.complaints.clear()
      try #require(try run.play(session, lines) == whole, "after \(successes)")
      try #require(run.complaints.all == [], "after \(successes)")
      failures += wentThrough ? 0 : 1
      successes += Self.step
    }
    #expect(failures > 0)
    if Self.step == 1 { print("\(session.name): each of \(failures) allocations failed") }
  }
}
