import Foundation

/// Makes trees of effects' operators over few ids of bytes, and cancels them, saves scripts and fills VMs while they are
/// in flight: all of them end.
struct Effects: Target {
  static let longest = 1000

  private let program: EffectProgram

  init() throws {
    let script = URL(filePath: #filePath).appending(path: "../../../Scripts/effects.lua")
    program = try EffectProgram(
      script: script.standardizedFileURL,
      in: .temporaryDirectory.appending(
        path: "fuzz-effects-\(ProcessInfo.processInfo.processIdentifier)"))
  }

  func run(_ bytes: UnsafeRawBufferPointer) throws {
    var choices = Choices(bytes)
    try program.run(steps: 40) { choices.number(below: $0) }
  }
}
