#if Journal
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Synchronization

/// A folder with scripts and a journal, which is removed with this object.
final class Rooms: Sendable {
  let folder: String
  var scripts: String { "\(folder)/scripts" }
  var journal: String { "\(folder)/rooms.db" }

  /// - Parameter room: the text of the module `room`.
  init(_ room: String = Rooms.room) throws {
    folder = NSTemporaryDirectory() + "rooms-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: scripts, withIntermediateDirectories: true)
    try write(room)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func write(_ text: String, as module: String = "room") throws {
    let start = """
      local scripted = require "scripted"
      local effect, list = scripted.effect, scripted.list

      """
    try Data((start + text).utf8).write(to: URL(fileURLWithPath: "\(scripts)/\(module).lua"))
  }

  /// A room that keeps a list, and counts what its effects send.
  static let room = """
    return scripted.feature {
      name = "Room",
      state = { items = {}, count = 0, done = 0 },
      dependencies = { "clock", "outside" },
      on = {
        add = function(state, action) list.insert(state.items, action.item) end,
        count = function(state) state.count = state.count + 1 end,
        twice = function(state)
          state.count = state.count + 1
          return effect.send("count")
        end,
        nothing = function() end,
        fail = function(state)
          state.count = 1000
          error("no luck")
        end,
        start = function(state)
          state.count = state.count + 1
          return effect.run(function(send, deps)
            deps.outside.call("started")
            send("done")
            deps.outside.call("done")
          end)
        end,
        done = function(state) state.done = state.done + 1 end,
        wait = function()
          return effect.run(function(send, deps)
            deps.clock.sleep(1000)
          end)
        end,
      },
    }
    """

  /// A host with the journal of the folder.
  ///
  /// - Parameters:
  ///   - storage: the journal; nil for that of the folder.
  ///   - outside: what effects call through `deps.outside.call`.
  func host(
    _ storage: (any JournalStorage)? = nil, outside: Calls = Calls(),
    _ configure: (inout ScriptHost.Configuration) -> Void = { _ in }
  ) throws -> ScriptHost {
    var configuration = ScriptHost.Configuration()
    configuration.journal = storage.map { storage in Journal { storage } } ?? .sqlite(journal)
    configuration.onError = nil
    configuration.onWarning = nil
    configuration.dependencies.register(
      "outside",
      live: .client(["call": .function("name") { (name: String) in outside.add(name) }]))
    configure(&configuration)
    return try ScriptHost(root: scripts, configuration: configuration)
  }
}

/// What effects have called.
final class Calls: Sendable {
  private let names = Mutex<[String]>([])
  private let handler: @Sendable (String) -> Void

  /// - Parameter handler: gets each name before the call returns.
  init(_ handler: @escaping @Sendable (String) -> Void = { _ in }) { self.handler = handler }

  var all: [String] { names.withLock { $0 } }

  func add(_ name: String) {
    names.withLock { $0.append(name) }
    handler(name)
  }
}

/// The journal of a folder, whose commits a test can hold back or let fail.
final class HeldJournal: JournalStorage {
  private struct State {
    var isHeld = false
    var failures = 0
    var commits = 0
    var removals = 0
    var readings = 0
    var holdsRemovals = false
    var holdsReadings = false
    var unreadable: StoreName?
    /// How often it is asked in vain what became of a commit; nil if that is known.
    var unknown: Int?
    var losesAnswer = false
    /// The receipts of the commit of which the answer was lost.
    var lost: [DrainReceipts] = []
  }

  typealias Commit =
    @Sendable (any JournalStorage, [JournalDrain]) throws(JournalError) -> [DrainReceipts]

  private let storage: any JournalStorage
  private let state = Mutex(State())
  private let committing: Commit

  /// - Parameter committing: what a commit does.
  init(
    _ path: String,
    committing: @escaping Commit = { (storage, drains) throws(JournalError) in
      try storage.commit(drains)
    }
  ) {
    storage = Journal.sqlite(path).makeStorage()
    self.committing = committing
  }

  /// Whether commits wait.
  var isHeld: Bool {
    get { state.withLock { $0.isHeld } }
    set { state.withLock { $0.isHeld = newValue } }
  }

  /// How many commits have begun.
  var commits: Int { state.withLock { $0.commits } }

  /// Whether removals wait.
  var holdsRemovals: Bool {
    get { state.withLock { $0.holdsRemovals } }
    set { state.withLock { $0.holdsRemovals = newValue } }
  }

  /// A store that is to be active by itself, and cannot be read.
  var unreadable: StoreName? {
    get { state.withLock { $0.unreadable } }
    set { state.withLock { $0.unreadable = newValue } }
  }

  /// How often a store was read.
  var readings: Int { state.withLock { $0.readings } }

  /// Whether readings of stores wait.
  var holdsReadings: Bool {
    get { state.withLock { $0.holdsReadings } }
    set { state.withLock { $0.holdsReadings = newValue } }
  }

  /// How many removals have begun.
  var removals: Int { state.withLock { $0.removals } }

  /// Lets so many commits fail, as on a disk that is full.
  func fail(_ count: Int) { state.withLock { $0.failures = count } }

  /// Loses the answer to the next commit, which is done. So many questions of what became of it are in vain.
  func loseAnswer(questionsInVain count: Int) {
    state.withLock { ($0.losesAnswer, $0.unknown) = (true, count) }
  }

  private static let unknown = JournalError(.unknown, "rooms.db: it is not known")

  func open() throws(JournalError) { try storage.open() }

  func commit(_ drains: [JournalDrain]) throws(JournalError) -> [DrainReceipts] {
    state.withLock { $0.commits += 1 }
    while isHeld { usleep(500) }
    let fails = state.withLock { state in
      defer { state.failures = max(0, state.failures - 1) }
      return state.failures > 0
    }
    if fails { throw JournalError(.notWritten, "rooms.db: the disk is full") }
    let (isUnknown, losesAnswer) = state.withLock { state in
      defer { state.losesAnswer = false }
      return (state.unknown != nil, state.losesAnswer)
    }
    if isUnknown && !losesAnswer { throw Self.unknown }
    let receipts = try committing(storage, drains)
    guard losesAnswer else { return receipts }
    state.withLock { $0.lost = receipts }
    throw Self.unknown
  }

  func settle() throws(JournalError) -> [DrainReceipts]? {
    let receipts: [DrainReceipts]? = state.withLock { state in
      guard let left = state.unknown, left > 0 else {
        state.unknown = nil
        return state.lost
      }
      state.unknown = left - 1
      return nil
    }
    guard let receipts else { throw Self.unknown }
    return receipts
  }
  func stored(_ store: StoreName) throws(JournalError) -> StoredStore? {
    state.withLock { $0.readings += 1 }
    while holdsReadings { usleep(500) }
    if state.withLock({ $0.unknown != nil || $0.unreadable == store }) { throw Self.unknown }
    return try storage.stored(store)
  }
  func has(_ receipt: Receipt) throws(JournalError) -> Bool { try storage.has(receipt) }
  func waking(before time: Double) throws(JournalError) -> [StoreName] {
    try storage.waking(before: time) + (unreadable.map { [$0] } ?? [])
  }
  func stores(
    of feature: String?, after name: StoreName?, atMost count: Int
  ) throws(JournalError) -> [DurableStoreInfo] {
    try storage.stores(of: feature, after: name, atMost: count)
  }
  func behind() throws(JournalError) -> [StoreName] { try storage.behind() }
  func remove(_ store: StoreName) throws(JournalError) {
    state.withLock { $0.removals += 1 }
    while holdsRemovals { usleep(500) }
    try storage.remove(store)
  }
  func compact() throws(JournalError) { try storage.compact() }
  func close() { storage.close() }
}

extension ScriptHost {
  /// What the journal has of all durable stores of a feature.
  func infos(_ feature: String? = nil) async throws -> [DurableStoreInfo] {
    try await durableStores(feature).reduce(into: []) { $0.append($1) }
  }
}

extension JournalStorage {
  /// What the journal has of all stores of a feature.
  func stores(of feature: String?) throws(JournalError) -> [DurableStoreInfo] {
    try stores(of: feature, after: nil, atMost: .max)
  }
}

/// Waits until `condition` is true, or until the test's time limit ends it.
func until(_ condition: () async throws -> Bool) async rethrows {
  while try await !condition() {
    // A test that was ended is cancelled, and must not go on for ever.
    guard (try? await Task.sleep(for: .milliseconds(2))) != nil else { return }
  }
}
#endif
