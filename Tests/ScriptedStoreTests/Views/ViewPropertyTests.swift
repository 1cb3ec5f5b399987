import Foundation
import Testing

/// Whatever happens, the incremental tree is the one that is made of nothing, and who follows the changes has it, too.
struct ViewPropertyTests {
  /// How many steps a program has: more in `make soak`.
  private static let steps =
    ProcessInfo.processInfo.environment["SOAK_VIEWS"].flatMap { Int($0) } ?? 200

  @Test(arguments: 0..<4) func theIncrementalTreeIsTheOneMadeOfNothing(seed: Int) throws {
    let folder = try TemporaryFolder()
    let program = try ViewProgram(
      script: URL(filePath: #filePath).appending(path: "../../../../Fuzz/Scripts/views.lua")
        .standardizedFileURL,
      in: URL(filePath: folder.path))
    var random = SplitMix(seed: UInt64(seed))
    try program.run(steps: Self.steps) { Int(random.next() % UInt64($0)) }
  }
}
