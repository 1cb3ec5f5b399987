import Foundation
import LuaBridge
import Platform
import Testing

/// `runner run --shared`, killed at random moments.
struct KillTests {
  /// How often it is killed; `SOAK_KILLS` in the environment sets another number.
  private static let kills =
    ProcessInfo.processInfo.environment["SOAK_KILLS"].flatMap { Int($0) } ?? 50

  @Test func whatWasAcknowledgedOutlivesAKill() throws {
    let log = try StoredLog()
    /// What was acknowledged, and what may be there. An action that was not acknowledged may have come into
    /// one of its two files only.
    var (known, knownSeen, most) = (0, 0, 0)
    for number in 1...Self.kills {
      let runner = try log.start()
      let found = try StoredLog.Found(runner.send("check"))
      #expect(found.isWhole && (known...most).contains(found.count), "\(found), not \(known)")
      #expect((knownSeen...most).contains(found.seen), "\(found), not \(knownSeen)")
      (known, knownSeen, most) = (found.count, found.seen, found.count)
      // Each third one is killed while it writes what it has found in the journals.
      var acknowledged = 0
      if number % 3 > 0 {
        let actions = 400
        runner.say(Array(repeating: "add", count: actions).joined(separator: "\n"))
        acknowledged += runner.hear(of: "add").isEmpty ? 0 : 1
        most += actions
      }
      usleep(.random(in: 0...(number % 3 > 0 ? 20_000 : 3000)))
      runner.signal(SIGKILL)
      // The last line may be torn.
      let lines = runner.end().output.split(separator: "\n", omittingEmptySubsequences: false)
      acknowledged += lines.dropLast().count { $0.contains("\"type\":\"add\"") }
      if acknowledged > 0 {
        known += acknowledged
        knownSeen = known
      }
      #expect(try log.count() <= most)
      if let text = FileManager.default.contents(atPath: log.stored + "/app-storage.json") {
        #expect(throws: Never.self) { try Value(json: Array(text)) }
      }
      // A run that ends by itself leaves nothing behind.
      guard number % 5 == 0 || number == Self.kills else { continue }
      let last = try log.check()
      #expect(last.isWhole && (known...most).contains(last.count), "\(last), not \(known)")
      #expect((knownSeen...most).contains(last.seen), "\(last), not \(knownSeen)")
      (known, knownSeen, most) = (last.count, last.seen, last.count)
    }
  }
}
