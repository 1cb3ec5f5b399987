#if Journal
import Foundation
import Testing

/// A process with a journal that is killed at random moments under load.
@Suite(.timeLimit(.minutes(30)), .blocking)
struct JournalKillTests {
  /// How often the process is killed; `SOAK_KILLS` in the environment sets another number.
  private static let kills =
    ProcessInfo.processInfo.environment["SOAK_KILLS"].flatMap { Int($0) } ?? 50

  private let rooms: Rooms

  init() throws { rooms = try Rooms(ListLoad.room) }

  @Test func whatWasAcknowledgedOutlivesAKill() async throws {
    let load = ListLoad()
    for number in 0..<Self.kills {
      let process = try OwnerProcess(rooms)
      // Each fourth is killed while it starts.
      let time = Int.random(in: 5_000...60_000)
      if number % 4 == 0 {
        process.kill(afterMicroseconds: time)
        load.run(process, number)
      } else {
        load.run(process, number) { process.kill(afterMicroseconds: time) }
      }
      #expect(load.unexpected == [])
    }

    load.settle(try OwnerProcess(rooms))
    #expect(load.unexpected == [])
    #expect(load.acknowledged > Self.kills)
    #expect(load.pending.isEmpty)
    let faults = try await rooms.faults(of: load)
    #expect(faults == [])
  }
}
#endif
