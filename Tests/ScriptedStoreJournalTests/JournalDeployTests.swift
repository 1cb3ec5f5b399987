#if Journal
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// A process with a journal whose scripts are replaced under load, with migrations that work and that raise, and that is killed
/// before, meanwhile and afterwards.
@Suite(.timeLimit(.minutes(30)), .blocking)
struct JournalDeployTests {
  /// How many deploys there are; a third of `SOAK_KILLS` in the environment sets another number.
  private static let deploys =
    ProcessInfo.processInfo.environment["SOAK_KILLS"].flatMap { Int($0) }.map { $0 / 3 } ?? 16

  private let rooms: Rooms
  private let load = ListLoad()

  init() throws { rooms = try Rooms(Deploy.works.text(1)) }

  private enum Deploy: CaseIterable {
    case works
    /// The migration raises in a store that has many items, when others were migrated and it has changed the state.
    case raises
    case doesNotLoad

    func text(_ version: Int) -> String {
      """
      \(self == .doesNotLoad ? "error('broken')" : "")
      return scripted.feature {
        name = "Room", version = \(version),
        state = { items = {}, by = \(version) },
        migrate = function(state)
          state.by = \(version)
          \(self == .raises ? "list.insert(state.items, -1) if #state.items > 3 then error('half way') end" : "")
        end,
        on = { add = function(state, action) list.insert(state.items, action.item) end },
      }
      """
    }
  }

  private func go(_ process: OwnerProcess, _ count: Int) {
    let enough = load.acknowledged + count
    load.go(on: process, 0) { _ in load.acknowledged >= enough }
  }

  private func kill(_ process: OwnerProcess) {
    process.kill()
    load.drain(process)
  }

  @Test func noDeployLosesAnything() async throws {
    var process = try OwnerProcess(rooms)
    load.begin(process, 0)
    load.add(to: "few", process)
    go(process, 100)
    var version = 1
    for number in 1...Self.deploys {
      let deploy = Deploy.allCases[number % 3]
      let isKilledMeanwhile = number / 3 % 2 == 0
      try rooms.write(deploy.text(version + 1))
      process.say("reload")
      if isKilledMeanwhile {
        process.kill(afterMicroseconds: .random(in: 0...20_000))
        load.go(on: process, 0)
        load.end(process)
      } else {
        load.go(on: process, 0) { line in
          guard case .reloaded(let isDone) = line else { return false }
          #expect(isDone == (deploy == .works))
          return true
        }
        go(process, 30)
        kill(process)
      }

      if deploy != .works { try await startWithBrokenScripts() }
      // A store that was migrated takes no older version any more.
      if deploy != .doesNotLoad { version += 1 }
      try rooms.write(Deploy.works.text(version))
      process = try OwnerProcess(rooms)
      load.begin(process, 0)
      go(process, 30)
      #expect(load.unexpected == [])
    }
    load.finish(process)
    #expect(load.unexpected == [])
    let faults = try await rooms.faults(of: load)
    #expect(faults == [])
    let host = try rooms.host()
    for store in load.stores {
      let state = try await host.durable("room", key: store).open().state
      #expect(state["by"] == .integer(Int64(version)))
    }
    await host.close()
  }

  /// A process that begins with the scripts of a failed deploy refuses what is sent, and does nothing.
  private func startWithBrokenScripts() async throws {
    load.mayFail = true
    let process = try OwnerProcess(rooms)
    load.begin(process, 0)
    let enough = load.refusals.count + 20
    load.go(on: process, 0) { _ in load.refusals.count >= enough }
    kill(process)
    load.mayFail = false
  }
}
#endif
