import LuaBridge
import Synchronization

/// One version of all shared values of a host.
struct SharedVersion: Sendable {
  /// Counts up with each change.
  private(set) var number: UInt64
  /// The values by their keys (``SharedIdentity/text``).
  var values: Value.Object { didSet { number += 1 } }

  /// Takes over what an action has written.
  ///
  /// - Parameters:
  ///   - new: `old.values` with what the action wrote.
  ///   - old: the version that the action was reduced on.
  ///   - opened: the keys of all values that the action has read or written; nil for all keys.
  /// - Returns: false, without a change, if this version has another value than `old` for one of these keys.
  mutating func take(
    _ new: Value.Object, basedOn old: SharedVersion, opened: () -> [String]?
  ) -> Bool {
    guard number != old.number else {
      values = new
      return true
    }
    guard let keys = opened() else { return false }
    for key in keys where old.values[key] != values[key] { return false }
    let next = number + 1
    for key in keys where old.values[key] != new[key] { values[key] = new[key] }
    number = next
    return true
  }

  /// Sets an error in the status of a stored value, which is itself a shared value (``SharedIdentity/status``).
  /// Returns whether the status was another one.
  mutating func setStatus(
    of key: SharedIdentity, _ operation: SharedOperation, _ failure: SharedStorageError?,
    _ file: String
  ) -> Bool {
    var status = values[key.status]?.object ?? ["isLoading": false]
    let new: Value? = failure.map {
      ["code": .string($0.code), "message": .string($0.message), "path": .string(file)]
    }
    guard status[operation.errorField] != new else { return false }
    status[operation.errorField] = new
    values[key.status] = .object(status)
    return true
  }
}

extension Value.Object {
  /// The shared values that differ. O(keys).
  func changedKeys(to new: Value.Object) -> [SharedIdentity] {
    let changed = new.keys.filter { self[$0] != new[$0] } + keys.filter { new[$0] == nil }
    return changed.map { SharedIdentity($0) }
  }
}

/// The shared values of a host. Threads of all its workers use it.
///
/// 1. All values are the fields of one persistent object. A store retains the version that its state
///    shows, so an action sees one version of all values from its begin to its end.
/// 2. An action publishes all that it wrote at once, or nothing. It fails if another thread has changed
///    a value that it has read or written; then it is reduced again on the new version. So all actions
///    of a host have one order.
/// 3. `writing` is held while values change, `published` only while the version is copied. So a function
///    of the host can read values during the third try of an action, which holds `writing`
///    (``alone(_:)``). It cannot change them: that is refused inside a worker.
final class SharedValues: Sendable {
  /// The values that are stored in files; nil if there is no place for them.
  let files: SharedFiles?
  /// The values that are stored in tables of a database; nil if there is none.
  let tables: SharedTables?
  /// Both, as far as there are any.
  let storages: [any StoredValues]
  /// Whether what has changed is written without ``flush(inside:where:)``.
  let savesInBackground: Bool
  /// Whether a stored key was opened.
  let hasStored = Atomic<Bool>(false)
  /// Whether nothing is written any more.
  let hasEnded = Atomic<Bool>(false)
  /// Held while a stored key is declared, so that its value is read once.
  let opening = Mutex<Void>(())
  /// The thread that holds ``opening``, and the name of the key that it declares; nil if no thread does.
  let opener = Mutex<(thread: ThreadID, key: String)?>(nil)
  /// The current version, held while values change.
  private let writing = Mutex(SharedVersion(number: 1, values: Value.Object()))
  /// A copy of it for readers.
  private let published = Mutex(SharedVersion(number: 1, values: Value.Object()))
  /// The number of ``published``, which tells without the lock whether there is a newer one.
  private let publishedNumber = Atomic<UInt64>(1)
  private let declarations = Mutex<[SharedIdentity: Declaration]>([:])
  let names: SharedNames
  /// How large the values are; nil if they may have any size.
  let sizes: SharedSizes?
  let uses = SharedUses()
  let keepers = SharedKeepers()
  let failures = SharedFailures()
  private let workers = Mutex<[Sharer]>([])
  private let observers = Mutex<[Observer]>([])
  /// The number of workers that hear of changes, and of `observers`. While it is 0, a change takes none of their locks.
  ///
  /// A change first sets `publishedNumber` and then asks for this; a worker that hears from now on, and a new observer, first
  /// adds to this and then asks for `publishedNumber`. These accesses are in one order, so that one of the two sees the other.
  private let listening = Atomic<Int>(0)

  /// - Parameters:
  ///   - storage: where values are stored; nil if they cannot be.
  ///   - database: where lists of rows are stored; nil if they cannot be.
  ///   - savesInBackground: whether what has changed is written without ``flush(inside:where:)``.
  ///   - mostKeys: ``Limits/sharedKeys``.
  ///   - mostBytes: ``Limits/sharedBytes``.
  init(
    _ storage: (any SharedStorage)? = nil, _ database: (any SharedDatabase)? = nil,
    savesInBackground: Bool = true, mostKeys: Int? = nil, mostBytes: Int? = nil
  ) {
    names = SharedNames(most: mostKeys)
    sizes = mostBytes.map { SharedSizes(most: $0) }
    files = storage.map { SharedFiles($0) }
    tables = database.map { SharedTables($0) }
    let storages: [(any StoredValues)?] = [files, tables]
    self.storages = storages.compactMap(\.self)
    self.savesInBackground = savesInBackground
    for storage in self.storages { storage.watch(for: self) }
  }

  /// How a key was declared first.
  struct Declaration: Sendable {
    /// The default; nil if there is none, or if a function makes it.
    let value: Value?
    /// The script line.
    let origin: String
    let version: Int
    /// Whether the key has a function `check`.
    let hasCheck: Bool
    /// The value that the key begins with, if it is not stored.
    let first: Value?

    init(_ key: SharedKey, first: Value? = nil) throws(ScriptError) {
      value = try key.plainDefault()
      (origin, version, hasCheck) = (key.origin, key.version, key.hasCheck)
      self.first = first
    }
  }

  /// A worker whose stores share values.
  final class Sharer: Sendable {
    private let link: WorkerLink
    /// Whether a job that looks for changes is in the worker's inbox.
    private let isWoken = Atomic<Bool>(false)
    /// Whether it has stores that hear of changes.
    fileprivate let hears = Atomic<Bool>(false)

    init(_ link: WorkerLink) { self.link = link }

    /// Lets the worker's stores take over what has changed.
    func wake() {
      guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
      link.submit { [self] engine in
        isWoken.store(false, ordering: .releasing)
        engine.sharing.takeSteps()
      }
    }

    /// Throws if the `check` of a key that a store of the worker shares refuses a value. Not inside a worker.
    func check(_ value: Value, of key: SharedIdentity) throws(ScriptError) {
      try link.performOutside { (engine) throws(ScriptError) in
        try engine.sharing.check(value, of: key)
      }
    }
  }

  /// Throws if the `check` of a key that a store shares refuses a value. Waits for the workers. Not inside of one.
  func check(_ value: Value, of key: SharedIdentity) throws(ScriptError) {
    guard declaration(of: key)?.hasCheck == true else { return }
    for worker in workers.withLock({ $0 }) { try worker.check(value, of: key) }
  }

  /// Whether there is a newer version than this.
  @inline(__always)
  func isNewer(than number: UInt64) -> Bool {
    publishedNumber.load(ordering: .sequentiallyConsistent) != number
  }

  var version: SharedVersion { published.withLock { $0 } }

  /// Takes over what an action has written; see ``SharedVersion/take(_:basedOn:opened:)``.
  ///
  /// - Parameter isStored: whether a value may be among them whose changes are stored.
  func publish(
    _ new: Value.Object, basedOn old: SharedVersion, isStored: Bool, opened: () -> [String]?
  ) -> Bool {
    publishing(isStored: isStored) { $0.take(new, basedOn: old, opened: opened) }.result
  }

  /// Calls `body` with the values, while no other thread can change one.
  func holding<R: Sendable>(
    _ body: (Value.Object) throws(SharedStorageError) -> R
  ) throws(SharedStorageError) -> R {
    try writing.withLock { newest throws(SharedStorageError) in try body(newest.values) }
  }

  /// Calls `body` while no other thread can change a value.
  @discardableResult
  func alone<R>(_ body: (inout SharedVersion) -> R) -> R { publishing(isStored: true, body).result }

  /// Calls `body` while no other thread can change a value. What it changes is stored already, or not to be stored. Returns
  /// whether it has changed something.
  @discardableResult
  func changeUnstored(_ body: (inout SharedVersion) -> Void) -> Bool {
    publishing(isStored: false, body).hasChanged
  }

  @inline(__always)
  private func publishing<R>(
    isStored: Bool, _ body: (inout SharedVersion) -> R
  ) -> (result: R, hasChanged: Bool) {
    let isStored = isStored && isStoring
    return writing.withLock { newest in
      let number = newest.number
      let before = isStored && !hasEndedSaving ? newest.values : nil
      let result = body(&newest)
      if newest.number == number { return (result, false) }
      if let before {
        for storage in storages { storage.commit(from: before, to: &newest, of: self) }
      }
      published.withLock { [newest] in $0 = newest }
      publishedNumber.store(newest.number, ordering: .sequentiallyConsistent)
      return (result, true)
    }
  }

  // MARK: Keys

  /// Whether a key was declared, or the host has given a value to one.
  var isUsed: Bool { isNewer(than: 1) || declarations.withLock { !$0.isEmpty } }

  /// The default of a key that is declared already; nil if it is not.
  func declaration(of key: SharedIdentity) -> Declaration? { declarations.withLock { $0[key] } }

  /// Gives a key the declaration that it has in new scripts, whose default was read before.
  func renew(_ key: SharedKey) {
    guard let new = try? Declaration(key) else { return }
    declarations.withLock { $0[key.identity] = new }
  }

  /// Forgets that a key was declared.
  func forgetDeclaration(of key: SharedIdentity) {
    _ = declarations.withLock { $0.removeValue(forKey: key) }
  }

  /// Declares a key, and gives it its first value, unless it is declared already. Returns whether this
  /// was the first declaration.
  func declare(_ key: SharedIdentity, _ declaration: Declaration, first: Value?) -> Bool {
    if let first {
      // First the value, because others take it for granted that a declared key has one.
      alone { current in
        // The host may have given it a value before.
        guard self.declaration(of: key) == nil, current.values[key] == nil else { return }
        current.values[key] = first
      }
    }
    return declarations.withLock { known in
      defer { if known[key] == nil { known[key] = declaration } }
      return known[key] == nil
    }
  }

  /// Reserves the name of a key; see ``SharedNames/reserve(_:)``. Forgets unused keys, if there are many. Throws also if
  /// the key is new, and the values are too large already. Not while an action runs alone.
  func reserve(_ key: SharedKey) throws(ScriptError) {
    if uses.haveManyUnused || names.isFull { forgetUnused() }
    if let sizes, declaration(of: key.identity) == nil {
      try sizes.require(roomFor: key, in: version.values)
    }
    try names.reserve(key)
  }

  /// The current version, in which the key is declared. The caller must use the key meanwhile.
  func versionDeclaring(_ key: SharedKey) throws(ScriptError) -> SharedVersion {
    guard key.kind != .inherited else {
      throw ScriptError(
        "an inherited key stands for the value of a feature around; ask the key that the feature shares"
      )
    }
    try reserve(key)
    if declaration(of: key.identity) == nil, key.isStored {
      _ = try open(key)
    } else if declaration(of: key.identity) == nil, key.kind != .status {
      let first = try key.firstValue()
      _ = declare(key.identity, try Declaration(key, first: first), first: first)
      if key.kind == .custom { beginStatus(of: key) }
    }
    return version
  }

  /// The keys of all values that are declared, or that the host has given a value.
  var allKeys: Set<SharedIdentity> {
    declarations.withLock { Set($0.keys) }.union(version.values.keys.map { SharedIdentity($0) })
  }

  /// Gives a value to a key.
  func set(_ key: SharedIdentity, to value: Value?) {
    alone { $0.values[key] = value }
  }

  /// Drops a key that only one store had.
  func remove(_ key: SharedIdentity) {
    forgetDeclaration(of: key)
    set(key, to: nil)
  }

  // MARK: Observers

  func add(_ observer: Observer) {
    observers.withLock { $0.append(observer) }
    listening.add(1, ordering: .sequentiallyConsistent)
  }

  func remove(_ observer: Observer) {
    let isFound = observers.withLock { observers in
      let index = observers.firstIndex { $0 === observer }
      if let index { observers.remove(at: index) }
      return index != nil
    }
    if isFound { listening.subtract(1, ordering: .sequentiallyConsistent) }
  }

  /// Whether more than so many workers and observers hear of changes.
  func isHeard(byMoreThan count: Int) -> Bool {
    listening.load(ordering: .sequentiallyConsistent) > count
  }

  var hasObservers: Bool { observers.withLock { !$0.isEmpty } }

  /// Calls the observers of changed values. Not inside a worker.
  func notifyObservers() {
    for observer in observers.withLock({ $0 }) { observer.notify(version) }
  }

  // MARK: Workers

  /// A worker begins to use the values. It does not hear of changes yet.
  func join(_ worker: Sharer) { workers.withLock { $0.append(worker) } }

  /// Sets whether a worker hears of changes.
  func set(_ worker: Sharer, hears: Bool) {
    let heard = worker.hears.exchange(hears, ordering: .sequentiallyConsistent)
    if heard == hears { return }
    listening.wrappingAdd(hears ? 1 : -1, ordering: .sequentiallyConsistent)
  }

  func leave(_ worker: Sharer) {
    set(worker, hears: false)
    workers.withLock { $0.removeAll { $0 === worker } }
  }

  /// Lets a worker report the failures, whether it hears of changes or not.
  func reportFailures() {
    if failures.haveWarnings { workers.withLock { $0.first }?.wake() }
  }

  /// Lets the stores of other workers take over what a store has published.
  func wakeOthers(than sharer: Sharer?) {
    for other in workers.withLock({ $0 }) where other !== sharer {
      if other.hears.load(ordering: .sequentiallyConsistent) { other.wake() }
    }
  }
}
