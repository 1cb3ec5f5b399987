import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// Random sessions of the examples, with waits and jumps through their history: a recording of one is replayed without a
/// difference, and the test that is made of it passes.
struct RandomSessionTests {
  /// How many sessions there are of each example; `SOAK_SESSIONS` in the environment sets another number.
  private static let sessions =
    ProcessInfo.processInfo.environment["SOAK_SESSIONS"].flatMap { UInt64($0) } ?? 2

  /// Examples with sessions that cannot be repeated.
  private static let excluded: Set = [
    // What they get of the host is missing here, which is an error of an effect. No recording has those.
    "case_studies.shared_state.notifications", "long_living", "voice_memos",
    "voice_memos.recording_memo",
    // Another thread loads the value.
    "case_studies.shared_state.custom",
    // A dependency returns a function, which nothing can answer for.
    "case_studies.offline_downloads", "case_studies.offline_downloads.download_component",
    // Lists of 10,000 rows make tests that take too long.
    "rows",
    // The store of a test ends with the dismissal of its feature.
    "case_studies.navigation_stack.screen_a", "tic_tac_toe.game",
  ]

  @Test(arguments: ExampleViewTests.features.filter { !excluded.contains($0) })
  func whatASessionHasRecordedIsReplayedAndItsTestPasses(feature: String) async throws {
    for seed in 0..<Self.sessions {
      guard let example = try? Example(feature), example.store.hasView else { return }
      let lines = Recorder<String>()
      let history = example.store.record()
      let observation = history.onLine { lines.record($0) }
      Self.play(example, history, seed)
      observation.cancel()
      let written = lines.all.map { $0 + "\n" }.joined()
      let hasGone = written.contains(#""go":"#)
      for (text, name) in [(written, "written"), (history.export(), "exported")] {
        let recording = try Recording(jsonLines: text)
        let host = try Self.host()
        let difference = try host.replay(recording).difference
        #expect(difference == nil, "seed \(seed), \(name): \(difference.map { "\($0)" } ?? "")")
        #expect(recording.finalState == example.store.state, "seed \(seed), \(name)")
        // A stack gives no id twice, also after going back; that of a test has given fewer.
        if hasGone && recording.hasStackIDs { continue }
        let source = try host.testSource(of: recording)
        for failure in try await Self.failures(of: source) {
          Issue.record("seed \(seed), \(name): \(failure)\n\(source)")
        }
      }
    }
  }

  private static func host() throws -> ScriptHost {
    try ScriptHost(
      root: Example.folder,
      configuration: .init(shared: .memory, onWarning: { _ in }, onError: { _, _ in }))
  }

  private static func play(_ example: Example, _ history: StoreHistory, _ seed: UInt64) {
    var random = SplitMix(seed: seed)
    let tree = example.store.view()
    for _ in 0..<12 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0: example.clock.advance(by: .seconds(1))
      case 1: example.clock.advance(by: .seconds(1.0 / 3))
      case 2: try? history.step(by: Int.random(in: -2...2, using: &random))
      case 3:
        let numbers = history.numbers
        if let number = numbers.randomElement(using: &random) { _ = try? history.skip(number) }
      default: _ = Person.act(on: tree, &random)
      }
    }
  }

  private static func failures(of source: String) async throws -> [String] {
    let folder = try TemporaryFolder()
    try folder.write(source, to: "session_test.lua")
    let file = try ScriptTestFile(
      folder.path + "/session_test.lua", root: Example.folder,
      configuration: .init(timeout: nil))
    return await Spec.results(of: file).flatMap { result -> [String] in
      guard case .failed(let failures) = result.outcome else { return [] }
      return failures.map(\.description)
    }
  }
}

extension Recording {
  fileprivate var hasStackIDs: Bool {
    entries.contains { entry in
      entry.reads.contains { if case .stack = $0.source { true } else { false } }
    }
  }
}
