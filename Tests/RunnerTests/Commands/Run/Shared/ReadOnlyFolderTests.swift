#if os(Linux)
import Foundation
import LuaBridge
import Platform
import Testing

/// `runner run --shared` with a folder that may only be read.
@Suite(.enabled(if: OwnDisk.unshare != nil, OwnDisk.isMissing))
struct ReadOnlyFolderTests {
  @Test func valuesAreReadAndWhatChangesStaysInMemoryWithAWarning() throws {
    let folder = try TemporaryFolder([
      "app.lua": """
      local scripted = require "scripted"
      local shared = scripted.shared
      return scripted.feature {
        state = {}, shared = { n = shared.fileStorage("n.json", 0), seen = shared.appStorage("seen", 0) },
        on = { inc = function(state) state.n = state.n + 1 state.seen = state.n end },
      }
      """
    ])
    try folder.makeFolder("stored")
    let stored = folder.url("stored").path
    let mount = """
      mount -t tmpfs tmpfs "$0" && echo 7 > "$0/n.json" && mount -o remount,ro "$0" && exec "$@"
      """
    let runner = try Conversation(
      command: try #require(OwnDisk.unshare) + [
        "sh", "-c", mount, stored, RunnerProcess.executable.path, "run", folder.url("app.lua").path,
        "--root", folder.path, "--shared", stored, "--print-state",
      ])
    runner.say("inc\ninc")
    runner.endInput()
    let (status, output, errors) = runner.end()
    #expect(status == 0, "\(errors)")
    #expect(output.hasSuffix("{\"state\":{\"n\":9,\"seen\":9}}\n"), "\(output)")
    for (key, file) in [
      (#"fileStorage "n.json""#, "n.json"), (#"appStorage "seen""#, "app-storage.json"),
    ] {
      let message =
        "the shared value \(key) cannot be saved to \(file): Read-only file system (denied). "
        + "The value stays as it is, and saving is tried again; let the program write the file and its folder"
      let quoted = Value.string(message).description.dropFirst().dropLast()
      #expect(output.contains(quoted), "\(output)")
    }
  }
}
#endif
