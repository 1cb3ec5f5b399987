#if Journal
import Foundation
import Platform
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// A process with a journal that is killed at random moments under load.
@Suite(.timeLimit(.minutes(30)))
struct JournalKillTests {
  /// How often the process is killed; `SOAK_KILLS` in the environment sets another number.
  private static let kills =
    ProcessInfo.processInfo.environment["SOAK_KILLS"].flatMap { Int($0) } ?? 50
  /// The sends that have no answer yet at any time.
  private static let clients = 12

  private let rooms: Rooms

  init() throws {
    rooms = try Rooms(
      """
      return scripted.feature {
        name = "Room",
        state = { items = {} },
        on = { add = function(state, action) list.insert(state.items, action.item) end },
      }
      """)
  }

  @Test func whatWasAcknowledgedOutlivesAKill() async throws {
    let load = Load()
    for number in 0..<Self.kills {
      let process = try OwnerProcess(rooms)
      // Each fourth is killed while it starts.
      let time = Int.random(in: 5_000...60_000)
      if number % 4 == 0 {
        process.kill(afterMicroseconds: time)
        load.run(process, number, clients: Self.clients)
      } else {
        load.run(process, number, clients: Self.clients) {
          process.kill(afterMicroseconds: time)
        }
      }
      #expect(load.unexpected == [])
    }

    let last = try OwnerProcess(rooms)
    load.settle(last)
    #expect(load.unexpected == [])
    #expect(load.acknowledged > Self.kills)

    let host = try rooms.host()
    var lists: [String: [Int]] = [:]
    for store in load.stores {
      let items = try await host.durable("room", key: store).open().state["items"].array ?? []
      lists[store] = items.compactMap(\.int)
    }
    await host.close()
    #expect(faults(of: load.events, in: lists) == [])
    #expect(load.pending.isEmpty)
    #expect(try SQLiteJournalReader(rooms.journal).verify().faults.map(\.description) == [])
  }
}

/// The clients of processes that are killed one after the other. Each has one item under way.
private final class Load {
  private(set) var events: [ListEvent] = []
  private(set) var stores: Set<String> = []
  /// The items without an answer, in the order in which they were sent.
  private(set) var pending: [ListItem] = []
  private(set) var acknowledged = 0
  /// Lines of a process that it must not print.
  private(set) var unexpected: [String] = []
  private var items: [Int: ListItem] = [:]

  private func send(_ item: ListItem, _ process: OwnerProcess) {
    events.append(.invoke(item))
    process.say("add \(item.store) \(item.number) \(item.number)")
  }

  /// Sends an item that nobody has sent yet to one of four stores, which are others after 50 rounds.
  private func sendNext(_ process: OwnerProcess, _ round: Int) {
    let number = items.count + 1
    let item = ListItem(store: "r\(round / 50).\(number % 4)", number: number)
    stores.insert(item.store)
    items[number] = item
    pending.append(item)
    send(item, process)
  }

  /// Sends what had no answer again, and then new items, until the process is killed.
  func run(
    _ process: OwnerProcess, _ round: Int, clients: Int, whenReady: () -> Void = {}
  ) {
    for item in pending { send(item, process) }
    while pending.count < clients { sendNext(process, round) }
    for store in stores.sorted().suffix(4) { process.say("list \(store)") }
    while let line = process.hear() {
      switch take(line) {
      case .ready: whenReady()
      case .answer: sendNext(process, round)
      case .other: break
      }
    }
    if process.end() != SIGKILL { unexpected.append("the process has ended by itself") }
    for item in pending { events.append(.unknown(item)) }
  }

  /// Sends what had no answer to a process that is not killed.
  func settle(_ process: OwnerProcess) {
    for item in pending { send(item, process) }
    process.closeInput()
    while let line = process.hear() { _ = take(line) }
    if process.end() != 0 { unexpected.append("the process has not ended well") }
  }

  private enum Line {
    case ready
    case answer
    case other
  }

  private func take(_ line: String) -> Line {
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "ready": return .ready
    case "closed": return .other
    case "list":
      events.append(.read(store: words[1], numbers: words.dropFirst(2).compactMap { Int($0) }))
      return .other
    case "ok":
      guard let item = Int(words[1]).flatMap({ items[$0] }) else { break }
      events.append(.ok(item))
      pending.removeAll { $0 == item }
      acknowledged += 1
      return .answer
    default: break
    }
    unexpected.append(line)
    return .other
  }
}

/// A process that owns the journal of a folder, and takes its input from here.
private final class OwnerProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var bytes: [UInt8] = []

  init(_ rooms: Rooms) throws {
    // A process that was killed reads no more.
    signal(SIGPIPE, SIG_IGN)
    process.executableURL = Self.executable
    process.arguments = [rooms.scripts, rooms.journal]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try input.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
  }

  private static let executable: URL = {
    let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let products = tests?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    return products.appendingPathComponent("journal-process")
  }()

  /// Writes a line, if the process still reads.
  func say(_ line: String) {
    let line = Array((line + "\n").utf8)
    _ = line.withUnsafeBytes {
      write(input.fileHandleForWriting.fileDescriptor, $0.baseAddress, $0.count)
    }
  }

  func closeInput() { try? input.fileHandleForWriting.close() }

  /// The next whole line; nil after the last.
  func hear() -> String? {
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        defer { bytes.removeFirst(end + 1) }
        return String(decoding: bytes[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      bytes += more
    }
  }

  func kill(afterMicroseconds time: Int) {
    let identifier = process.processIdentifier
    DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(time)) {
      // The process is waited for only after its output has ended, which is after this.
      _ = Foundation.kill(identifier, SIGKILL)
    }
  }

  /// Waits for the end of the process.
  ///
  /// - Returns: its status, or the signal that has ended it.
  func end() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}
#endif
