import Dispatch
import LuaBridge

/// The shared values that are stored in one way: in files (``SharedFiles``), or in tables of a database (``SharedTables``).
///
/// The way of what an action has changed, on its thread, while no other action can change the values:
///
///     SharedAttempt.run ─▶ StoreSharing.publish ─▶ SharedValues.publish ─▶ commit
///       SharedFiles:  StoredFile.append ──▶ .NAME.journal, and a write is planned
///       SharedTables: StoredTable.change ─▶ SharedDatabase.write
///
/// The way of a planned write, and of what other programs have changed, on the queue of the files or of the tables:
///
///     SharedFiles:  save ─▶ StoredFile.takeOver ◀── NAME, if another program has written it
///                        ─▶ StoredFile.write ─────▶ NAME
///     SharedTables: commitAgain ─▶ StoredTable.take ◀── SharedDatabase.read, if others have changed the file
///                               ─▶ StoredTable.change ─▶ SharedDatabase.write
///       then stores and observers hear of it ─▶ SharedValues.tellOthers
///
/// 1. A stored key and its first value come to the shared values in one step (``SharedValues/changeUnstored(_:)``), so that the
///    first value is no change.
/// 2. After a failure the values stay. They are written with the next change, and after 1, 2, 4 … 60 seconds (``SaveSchedule``).
/// 3. The shared values own these objects, and are an argument of what needs them. What is done later does not retain them.
protocol StoredValues: AnyObject, Sendable {
  /// Hears of what other programs change.
  func watch(for values: SharedValues)

  // MARK: Keys

  /// Whether there are values in a file whose name some file system takes for this one (``SharedNames``).
  func hasFile(named name: String) -> Bool

  /// Throws if a key that is declared already is stored otherwise.
  func requireSame(_ key: SharedKey) throws(ScriptError)

  /// Reads the value of a new key, and makes it, or else the default, the shared value.
  func open(
    _ key: SharedKey, default first: Value?, of values: SharedValues
  ) throws(ScriptError) -> SharedValues.Found

  /// Stores the value of a key that was migrated or recovered when it was opened.
  func saveOpened(_ key: SharedKey, of values: SharedValues)

  /// Takes a value for the default of a key. Called while no action changes the values.
  func setDefault(_ value: Value, of key: SharedIdentity)

  /// Lets go of a key that nobody uses. Called while no action changes the values.
  ///
  /// - Returns: false, if its value is not stored yet.
  func letGo(of key: SharedIdentity, in values: Value.Object) -> Bool

  // MARK: Changes

  /// Makes durable what differs. Called before the new values can be read, while no action can change them.
  ///
  /// - Parameter new: gets what others have changed.
  func commit(from old: Value.Object, to new: inout SharedVersion, of values: SharedValues)

  /// Loads the value of a key again, or saves it, and then calls `done`. The status of the value says whether it failed.
  func perform(
    _ request: SharedOperation, _ key: SharedIdentity, of values: SharedValues,
    _ done: @escaping @Sendable () -> Void
  )

  /// Does the same before it returns. Called inside the worker with the key, in a test.
  func performAtOnce(_ request: SharedOperation, _ key: SharedKey, of values: SharedValues)
}

/// When a file is written. Times are in nanoseconds.
struct SaveSchedule: Sendable {
  /// The shortest time between two writes.
  let interval: UInt64
  /// When the file is written next; nil if no write is planned.
  var next: UInt64?
  /// The time before which the file is not written again.
  private var earliest: UInt64 = 0
  private var failures = 0

  init(interval: UInt64) { self.interval = interval }

  /// The time of a new write; nil if one is planned that is early enough.
  mutating func plan(after delay: UInt64 = 0, isUrgent: Bool = false) -> UInt64? {
    let now = DispatchTime.now().uptimeNanoseconds
    let time = max(isUrgent && failures == 0 ? now : earliest, now + delay)
    // A change does not wait for a try after a failure, which may be a minute away.
    if let next, next <= time { return nil }
    next = time
    return time
  }

  mutating func didSave(hasWritten: Bool) {
    failures = 0
    if hasWritten { earliest = DispatchTime.now().uptimeNanoseconds + interval }
  }

  /// Returns the time until the next try: 1, 2, 4 … 60 seconds.
  mutating func didFail() -> UInt64 {
    failures += 1
    earliest = DispatchTime.now().uptimeNanoseconds + interval
    return min(60, 1 << UInt64(min(failures - 1, 6))) * 1_000_000_000
  }
}
