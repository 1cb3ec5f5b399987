#if Journal
import Foundation
import Platform
import ScriptedStore
import ScriptedStoreJournal

/// The clients of processes that own a journal one after the other. Each client has one item under way, and sends another
/// one when it has an answer. What a process that was killed has not answered is sent again to the next.
final class ListLoad {
  /// What a line of a process says.
  enum Line: Equatable {
    case ready
    /// An item was acknowledged, or refused.
    case answer
    case list
    case refused(String)
    case reloaded(Bool)
    case other
  }

  /// A module that keeps lists. An action that it refuses says how a list is reduced so far, whether or not that is durable.
  static let room = """
    return scripted.feature {
      name = "Room",
      state = { items = {} },
      on = {
        add = function(state, action) list.insert(state.items, action.item) end,
        later = function(state, action)
          return effect.alarm("item " .. action.item, action.seconds, "add", { item = action.item })
        end,
        refuse = function(state)
          local items = ""
          for _, item in ipairs(state.items) do items = items .. " " .. item end
          error("there are " .. #state.items .. " items:" .. items .. ".")
        end,
      },
    }
    """

  private(set) var events: [ListEvent] = []
  private(set) var stores: Set<String> = []
  /// The items without an answer, in the order in which they were sent.
  private(set) var pending: [ListItem] = []
  private(set) var acknowledged = 0
  /// Why items were refused.
  private(set) var refusals: [String] = []
  /// Lines of a process that it must not print.
  private(set) var unexpected: [String] = []
  /// Whether items may be refused, and processes may not be able to open their journal.
  var mayFail = false

  private let clients: Int
  private let store: (_ number: Int, _ round: Int) -> String
  private var items: [Int: ListItem] = [:]
  /// The stores that are being read: two reads of a store could be answered in another order.
  private var reading: Set<String> = []

  /// - Parameters:
  ///   - clients: the items that have no answer yet at any time.
  ///   - store: to which store an item goes in a round; one of four, which are others after 50 rounds, if it is not said.
  init(
    clients: Int = 12,
    store: @escaping (_ number: Int, _ round: Int) -> String = { "r\($1 / 50).\($0 % 4)" }
  ) {
    (self.clients, self.store) = (clients, store)
  }

  // MARK: Sending

  private func send(_ item: ListItem, _ process: OwnerProcess) {
    events.append(.invoke(item))
    process.say("add \(item.store) \(item.number) \(item.number)")
  }

  /// A new item, with the next number.
  private func newItem(_ store: (Int) -> String) -> ListItem {
    let number = items.count + 1
    let item = ListItem(store: store(number), number: number)
    stores.insert(item.store)
    items[number] = item
    pending.append(item)
    return item
  }

  private func sendNext(_ process: OwnerProcess, _ round: Int) {
    let item = newItem { store($0, round) }
    send(item, process)
    if item.number % 25 == 0 { read(item.store, process) }
  }

  private func read(_ store: String, _ process: OwnerProcess) {
    if reading.insert(store).inserted { process.say("list \(store)") }
  }

  /// Sends an item beside those of the clients.
  func add(to store: String, _ process: OwnerProcess) { send(newItem { _ in store }, process) }

  /// Sets an alarm that adds an item to a store.
  func setAlarm(in store: String, after seconds: Double, _ process: OwnerProcess) {
    let item = newItem { _ in store }
    events.append(.invoke(item))
    process.say("alarm \(store) \(item.number) \(item.number) \(seconds)")
  }

  // MARK: Processes

  /// Sends a new process what had no answer, and then as many new items as there are clients.
  func begin(_ process: OwnerProcess, _ round: Int) {
    reading = []
    for item in pending { send(item, process) }
    while pending.count < clients { sendNext(process, round) }
    for store in Set(pending.map(\.store)).sorted() { read(store, process) }
  }

  /// Sends a new process what had no answer, and waits for the answers.
  func resend(to process: OwnerProcess) {
    for item in pending { send(item, process) }
    awaitAnswers(of: process)
  }

  /// Waits until nothing is without an answer, and sends nothing more.
  func awaitAnswers(of process: OwnerProcess) {
    while !pending.isEmpty, let line = process.hear() { _ = take(line) }
  }

  /// Sends new items as clients get answers.
  ///
  /// - Parameter isEnough: whether to stop after a line.
  /// - Returns: false if the process has ended before.
  @discardableResult
  func go(
    on process: OwnerProcess, _ round: Int, until isEnough: (Line) -> Bool = { _ in false }
  ) -> Bool {
    while let text = process.hear() {
      let line = take(text)
      // What a test waits for may not come any more.
      if !unexpected.isEmpty { process.kill() }
      if line == .answer, pending.count < clients { sendNext(process, round) }
      if isEnough(line) { return true }
    }
    return false
  }

  /// Reads a list, when no other read is under way.
  func list(_ store: String, _ process: OwnerProcess) -> [Int] {
    read(store, process)
    go(on: process, 0) { $0 == .list }
    if case .read(store, let numbers)? = events.last { return numbers }
    return []
  }

  /// Sends items until the process is killed.
  func run(_ process: OwnerProcess, _ round: Int, whenReady: () -> Void = {}) {
    begin(process, round)
    go(on: process, round) { line in
      if line == .ready { whenReady() }
      return false
    }
    end(process)
  }

  /// Waits for the end of a process that is killed.
  func end(_ process: OwnerProcess) {
    let status = process.end()
    if status != SIGKILL && !(mayFail && status == 1) {
      unexpected.append("the process has ended by itself")
    }
    for item in pending { events.append(.unknown(item)) }
  }

  /// Hears what is left of a process that was killed by ``OwnerProcess/kill()``.
  func drain(_ process: OwnerProcess) {
    while let line = process.hear() { _ = take(line) }
    end(process)
  }

  /// Sends what had no answer to a new process, and lets it close its journal.
  func settle(_ process: OwnerProcess) {
    for item in pending { send(item, process) }
    finish(process)
  }

  /// Lets a process answer what it has, and close its journal.
  func finish(_ process: OwnerProcess) {
    process.closeInput()
    while let line = process.hear() { _ = take(line) }
    if process.end() != 0 { unexpected.append("the process has not ended well") }
  }

  /// Takes a line of a process.
  func take(_ text: String) -> Line {
    let words = text.split(separator: " ").map(String.init)
    let item = words.dropFirst().first.flatMap { Int($0) }.flatMap { items[$0] }
    switch (words.first, item) {
    case ("ready", _): return .ready
    case ("closed", _): return .other
    case ("reloaded", _): return .reloaded(true)
    case ("kept", _): return .reloaded(false)
    case ("refused", _): return .refused(text)
    case ("list", _) where words.count > 1:
      reading.remove(words[1])
      events.append(.read(store: words[1], numbers: words.dropFirst(2).compactMap { Int($0) }))
      return .list
    case ("unopened", _) where mayFail: return .other
    case ("unread", _) where mayFail:
      reading.remove(words[1])
      return .other
    case ("ok", let item?):
      events.append(.ok(item))
      pending.removeAll { $0 == item }
      acknowledged += 1
      return .answer
    case ("fail", let item?) where mayFail, ("unclear", let item?) where mayFail:
      events.append(words[0] == "fail" ? .fail(item) : .unknown(item))
      pending.removeAll { $0 == item }
      refusals.append(words.dropFirst(2).joined(separator: " "))
      return .answer
    default:
      unexpected.append(text)
      return .other
    }
  }
}

extension Rooms {
  /// What is wrong with the lists of a load, and with the journal, now that no process has it.
  func faults(of load: ListLoad) async throws -> [String] {
    let host = try host()
    var states: [String: Value] = [:]
    for store in load.stores {
      states[store] = try await host.durable("room", key: store).open().state
    }
    await host.close()
    let lists = states.mapValues { ($0["items"].array ?? []).compactMap(\.int) }
    let reader = try SQLiteJournalReader(journal)
    var found = Set(faultsOf(load.events, lists)).map(\.description)
    found += try reader.verify().faults.map(\.description)
    for (store, state) in states {
      guard let replayed = try replay(store, reader), replayed != state else { continue }
      found.append("\(store) is not what its records make")
    }
    return found.sorted()
  }

  /// The state that the records of a store lead to; nil if the journal has no record of it.
  private func replay(_ store: String, _ journal: SQLiteJournalReader) throws -> Value? {
    var reader = RecordingReader()
    var state: Value?
    var failure: (any Error)?
    _ = try journal.read(StoreName(feature: "room", key: store)) { line in
      do {
        switch line {
        case .snapshot(let snapshot):
          _ = try reader.read(snapshot.line.utf8, line: 1, isWhole: true)
          state = reader.recording.map { .some($0.initialState) } ?? .none
        case .record(let record):
          if case .entry(let entry) = try reader.read(record.line.utf8, line: 1, isWhole: true) {
            state = .some(entry.state)
          }
        }
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    return state
  }
}

/// Reachable where a method has the name of the function.
private func faultsOf(_ events: [ListEvent], _ lists: [String: [Int]]) -> Set<ListFault> {
  faults(of: events, in: lists)
}
#endif
