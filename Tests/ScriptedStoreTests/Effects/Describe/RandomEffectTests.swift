import Foundation
import LuaBridge
import Testing

@testable import ScriptedStore

/// Random trees of operators over few ids, with cancellations, saved scripts and full VMs in between.
struct RandomEffectTests {
  private static let steps = 40
  /// Effects begin in five of eight steps; `SOAK_EFFECTS` in the environment sets how many of them.
  private static let programs =
    (ProcessInfo.processInfo.environment["SOAK_EFFECTS"].flatMap { Int($0) } ?? 6000) / 25

  @Test func anyEffectsEndAndNothingIsLost() throws {
    let folder = try TemporaryFolder()
    let program = try EffectProgram(
      script: URL(fileURLWithPath: #filePath)
        .appending(path: "../../../../../Fuzz/Scripts/effects.lua").standardizedFileURL,
      in: URL(fileURLWithPath: folder.path))
    func checkInvariants() {
      #if DEBUG
      _ = program.store.inspectEffects { $0.checkInvariants() }
      #endif
    }
    for seed in 0..<Self.programs {
      var random = SplitMix(seed: UInt64(seed))
      do {
        try program.run(steps: Self.steps, check: checkInvariants) {
          Int(random.next() % UInt64($0))
        }
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
      // A group that stays open has no effect that `effects` could list.
      guard program.store.inspectEffects(\.isIdle) ?? true else {
        Issue.record("seed \(seed): a job is in flight at the end")
        return
      }
    }
  }
}
