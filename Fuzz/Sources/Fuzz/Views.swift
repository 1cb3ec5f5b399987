import Foundation

/// Does to a screen what bytes choose: it is the one that is made of nothing.
struct Views: Target {
  static let longest = 400

  private let script = URL(filePath: #filePath).appending(path: "../../../Scripts/views.lua")
    .standardizedFileURL
  private let folder = URL.temporaryDirectory.appending(
    path: "fuzz-views-\(ProcessInfo.processInfo.processIdentifier)")

  init() throws {}

  func run(_ bytes: UnsafeRawBufferPointer) throws {
    var choices = Choices(bytes)
    try ViewProgram(script: script, in: folder).run(steps: 40) { choices.number(below: $0) }
  }
}
