#if Journal
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// A process with many stores and memory for few, which sends at random make active and passive all the time, and which
/// is killed.
@Suite(.timeLimit(.minutes(60)), .blocking)
struct JournalChurnTests {
  /// How many stores there are; `SOAK_STORES` in the environment sets another number. A hundredth of them fit into memory.
  private static let stores =
    ProcessInfo.processInfo.environment["SOAK_STORES"].flatMap { Int($0) } ?? 2_000

  private let rooms: Rooms

  init() throws { rooms = try Rooms(ListLoad.room) }

  @Test func storesThatComeAndGoAreAsIfAllWereInMemory() async throws {
    let load = ListLoad { _, _ in "s\(Int.random(in: 0..<Self.stores))" }
    for round in 0..<4 {
      let process = try OwnerProcess(rooms, mostActive: Self.stores / 100)
      let enough = load.acknowledged + Self.stores / 2
      load.begin(process, round)
      load.go(on: process, round) { _ in load.acknowledged >= enough }
      process.kill(afterMicroseconds: .random(in: 0...50_000))
      load.go(on: process, round)
      load.end(process)
      #expect(load.unexpected == [])
    }
    // A store that was made passive has a snapshot behind which there is nothing.
    let passive = try SQLiteJournalReader(rooms.journal).stores(of: nil)
      .filter { $0.recordsBehind == 0 }
    #expect(passive.count > load.stores.count / 2)
    load.settle(try OwnerProcess(rooms, mostActive: Self.stores / 100))
    #expect(load.unexpected == [])
    let faults = try await rooms.faults(of: load)
    #expect(faults == [])
  }
}
#endif
