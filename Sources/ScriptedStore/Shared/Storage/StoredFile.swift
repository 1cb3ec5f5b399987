import LuaBridge
import Synchronization

/// A file with shared values: that of a `fileStorage` key, or the one of all `appStorage` keys.
///
/// This file has what is known of a file, and how it is opened and read. `StoredFile+Saving.swift` has `append`, `takeOver`
/// and `write`. ``SharedFiles`` calls them when they are due; the head of ``StoredValues`` shows the way.
///
/// Next to the file `NAME` there may be:
///
/// - `.NAME.journal`: the changes since the file was written, one line each (``SharedJournal``). A line is written before
///   other stores, observers and the caller of `send` see the action that made it. So what they have seen
///   outlives the process.
/// - `.NAME.journal.old`: while the file is being written, the changes that the new text contains, and
///   those since the last write, if that failed.
/// - `NAME.broken-n`: a text that could not be read as a value. It is never overwritten.
/// - `NAME.v1`: the text from before a migration of version 1; `NAME.v1-n` beside other ones.
/// - `NAME.conflict-n`: a journal that did not fit the file, or a text in which another program had changed
///   what also changed here.
final class StoredFile: Sendable {
  let name: String
  let journal: String
  let oldJournal: String
  /// Whether each change is written to the journal.
  let hasJournal: Bool
  /// Whether what is in the journal outlives a power failure.
  let withstandsPowerFailure: Bool
  let format: FileFormat
  let storage: any SharedStorage
  let state: Mutex<State>

  init(of key: SharedKey, in storage: any SharedStorage) {
    name = key.fileName
    // By bytes: a slash before a combining character is not the `Character` "/".
    let slash = name.utf8.lastIndex(of: UInt8(ascii: "/"))
    let start = slash.map(name.utf8.index(after:)) ?? name.startIndex
    journal = "\(name[..<start]).\(name[start...]).journal"
    oldJournal = "\(journal).old"
    hasJournal = key.hasJournal
    withstandsPowerFailure = key.withstandsPowerFailure
    format = key.format
    self.storage = storage
    state = Mutex(State(of: key, isFirst: storage.isFirst))
  }

  var parts: [State.Part] { state.withLock { $0.parts } }

  /// What a failure to read or write the file is for one of its keys. It is none, if only other keys refuse the text.
  func failure(_ failure: SharedStorageError?, of key: SharedIdentity) -> SharedStorageError? {
    state.withLock { state in
      guard let failure, state.text.refusals.values.contains(failure) else { return failure }
      return state.text.refusals[key]
    }
  }

  // MARK: Opening

  /// Reads the file and its journals, for the key that opens the file. Notes what has to be done before the file is written.
  ///
  /// - Parameter found: gets what the key finds, unless that is in a field of the file.
  func open(for key: SharedKey, _ found: inout SharedValues.Found) -> LoadedText {
    let loaded = recovered(read(as: key))
    state.withLock { state in
      state.text = State.Text(
        value: loaded.inFile, checksum: loaded.checksum, size: loaded.text.count, use: loaded.use)
      (state.saved, state.journal.value) = (loaded.inFile, loaded.value)
      if key.kind == .appStorage { state.rest = loaded.value?.object ?? Value.Object() }
    }
    found.failure = loaded.failure
    found.isNewer = loaded.inFile != loaded.value
    guard loaded.failure == nil, let value = loaded.value else { return loaded }
    if key.kind == .appStorage {
      if value.object == nil, value != [:] { found.failure = refuse("it is no object", by: key) }
      return loaded
    }
    do throws(SharedStorageError) {
      let (new, isMigrated) = try key.adapted(value, from: loaded.version)
      found.value = new
      if isMigrated {
        found.isNewer = true
        state.withLock { $0.migratedFrom = loaded.version }
      }
    } catch {
      found.failure = error
      if error.code == "invalid" {
        _ = refuse(error.message, by: key)
      } else {
        state.withLock { $0.text.use = .refused(error) }
      }
    }
    return loaded
  }

  /// Makes a key one of the file's, and gives it its first value: what it has found, its field of the file, or its default. The
  /// whole file is kept under another name if the field has another type than the key. Called while no action changes the values.
  ///
  /// - Parameters:
  ///   - found: gets what is in the field, and whether the file has to be written.
  ///   - declared: the default that the script wrote down.
  func begin(
    _ key: SharedKey, _ found: inout SharedValues.Found, default first: Value?,
    like declared: Value?, in values: inout Value.Object
  ) {
    let field = key.kind == .appStorage ? key.name : nil
    let inField = state.withLock { state in
      state.parts.append((key.identity, field))
      return field.flatMap { state.rest.removeValue(forKey: $0) }
    }
    if let inField {
      do throws(ScriptError) {
        try SharedKey.requireType(of: inField, like: declared, as: "what is stored")
        found.value = inField
      } catch {
        found.failure = refuse("\(error)", by: key)
      }
    }
    let value = found.value ?? first
    values[key.identity] = value
    if !found.isNewer { state.withLock { $0.takeForSaved(value, of: key.identity) } }
    found.isNewer = appendUnsaved(values) || state.withLock { $0.migratedFrom != nil }
  }

  /// A key refuses the text, which can be read. The text gets another name before the first write.
  private func refuse(_ message: String, by key: SharedKey) -> SharedStorageError {
    let failure = SharedStorageError(code: "invalid", message: message)
    state.withLock { state in
      state.text.use = .broken
      state.text.refusals[key.identity] = failure
    }
    return failure
  }

  // MARK: Reading

  /// Reads the text.
  ///
  /// - Parameter key: whose functions read it, if the file has a script's format.
  func read(as key: SharedKey?) -> LoadedText {
    do throws(SharedStorageError) {
      let text = try storage.read(name)
      if format.needsWorker && key == nil { throw FileFormat.noKey }
      return text.map { LoadedText($0, in: format, as: key) } ?? LoadedText(isMissing: true)
    } catch {
      return LoadedText(failure: error)
    }
  }

  /// Lays the journals over what the file has.
  func recovered(_ inFile: LoadedText) -> LoadedText {
    var loaded = inFile
    guard state.withLock(\.ownsJournal), loaded.failure == nil || loaded.isBroken else {
      return loaded
    }
    var journals: [[UInt8]] = []
    do throws(SharedStorageError) {
      for name in [oldJournal, journal] { journals.append(try storage.read(name) ?? []) }
    } catch {
      return LoadedText(failure: error)
    }
    let result = SharedJournal.apply(journals, to: loaded.value, text: loaded.checksum)
    loaded.take(result)
    state.withLock {
      ($0.journal.number, $0.journal.isMarked) = (result.number, result.hasLines)
    }
    if result.isConflict { keep(journals, &loaded) }
    return loaded
  }

  /// Keeps journals that do not fit under another name, and puts what did fit in their place, because new
  /// lines cannot follow those that do not fit.
  private func keep(_ journals: [[UInt8]], _ loaded: inout LoadedText) {
    let number = state.withLock { $0.journal.number }
    let lines =
      SharedJournal.mark(loaded.checksum, number: number)
      + SharedJournal.change(
        from: loaded.inFile, to: loaded.value, number: number &+ 1, version: loaded.version)
    do throws(SharedStorageError) {
      let free = try freeName("conflict")
      try storage.replace(free, with: Array(journals.joined()))
      loaded.kept = free
      try storage.replace(journal, with: lines)
      try storage.remove(oldJournal)
      state.withLock { $0.journal.number = number &+ 1 }
    } catch {
      // The next start finds the same conflict.
    }
  }

  /// A name `NAME.kind-n` under which there is nothing. Throws if there is something that cannot be read.
  func freeName(_ kind: String) throws(SharedStorageError) -> String {
    // Two programs that go on changing the same value have a conflict at each write: the names before the last are not asked
    // for again.
    var number = state.withLock { $0.lastNames[kind] ?? 1 }
    while try storage.read("\(name).\(kind)-\(number)") != nil { number += 1 }
    state.withLock { [number] in $0.lastNames[kind] = number }
    return "\(name).\(kind)-\(number)"
  }
}

extension StoredFile {
  /// What is known of a file.
  ///
  ///     open ──beginSaving──▶ saving ──▶ open ──letGo──▶ ended
  struct State: Sendable {
    /// A shared value in the file: its key, and the field of the file; nil for the whole file.
    typealias Part = (key: SharedIdentity, field: String?)

    /// What the file says.
    struct Text: Sendable {
      /// The value in the file; nil if there is none.
      var value: Value?
      /// ``SharedJournal/checksum(_:)`` of the text; 0 if there is no file.
      var checksum: UInt64 = 0
      /// In bytes, as it was read or written here last.
      var size = 0
      var use = Use.usable
      /// Why keys refuse this text, which can be read.
      var refusals: [SharedIdentity: SharedStorageError] = [:]
    }

    /// Whether the file can be read, and may be written.
    enum Use: Sendable {
      case usable
      /// The text cannot be read as a value. It gets another name before the first write.
      case broken
      /// The file or a journal could not be read. It is read again before the next write.
      case unread(SharedStorageError)
      /// The file is not written: it is newer, or its migration raised.
      case refused(SharedStorageError)
    }

    /// What the journals say.
    struct Journal: Sendable {
      /// The value that the file and its journals make; nil for none.
      var value: Value?
      /// The number of the last change.
      var number: UInt64 = 0
      /// Whether there are lines, and with them a mark of the file's text (``SharedJournal``).
      var isMarked = false
      /// The bytes that were written since the file was written.
      var size = 0
    }

    enum Saving: Sendable {
      case no
      /// The file is being read again or written.
      ///
      /// `isAhead`: whether the text that is being written has changes that could not be written to the journal.
      /// Further ones cannot follow them there before the file has that text.
      case running(isAhead: Bool)
      /// The host has forgotten the only key, so the file is not written any more.
      case ended
    }

    /// Whether this process writes the journal: of the processes that use the file, the first one does.
    let ownsJournal: Bool
    /// Whether only another process may write the file.
    let isLocked: Bool
    var parts: [Part] = []
    /// The fields that no key of the host has asked for.
    var rest = Value.Object()
    var version: Int
    /// The version whose text is to be kept under another name before the first write; nil for none.
    var migratedFrom: Int?
    var saving = Saving.no
    /// The value that needs no write: that of the file, with the defaults of what it lacks; nil for none.
    var saved: Value?
    var text = Text()
    var journal = Journal()
    /// The number of the last free name of each kind (``StoredFile/freeName(_:)``).
    var lastNames: [String: Int] = [:]
    var schedule: SaveSchedule
    /// The worker that has the key of a file with a script's format; nil if there is none.
    var worker: WorkerLink?

    init(of key: SharedKey, isFirst: Bool) {
      ownsJournal = isFirst
      isLocked = key.isExclusive && !isFirst
      version = key.kind == .fileStorage ? key.version : 1
      schedule = SaveSchedule(interval: key.interval)
    }

    /// Why the file is not written; nil if it may be.
    var refusal: SharedStorageError? {
      switch text.use {
      case .unread(let failure), .refused(let failure): failure
      case .usable, .broken: isLocked ? State.locked : nil
      }
    }

    private static let locked = SharedStorageError(
      code: "locked", message: "another process has the file, and its key is exclusive")

    var isBroken: Bool { if case .broken = text.use { true } else { false } }
    var isUnread: Bool { if case .unread = text.use { true } else { false } }
    private var isAhead: Bool { if case .running(isAhead: true) = saving { true } else { false } }

    /// Whether changes go to the journal. Before a migrated value is written, the file has another
    /// version than the changes.
    var takesChanges: Bool {
      ownsJournal && refusal == nil && migratedFrom == nil && !isAhead
    }

    /// Whether the file is written before the end of its interval, so that the journal does not grow without end.
    var hasLongJournal: Bool { journal.size > max(State.shortJournal, 2 * text.size) }

    /// In bytes.
    private static let shortJournal = 4 << 20

    /// What the file is to contain; nil for no file.
    func content(of values: Value.Object) -> Value? {
      if let part = parts.first, part.field == nil { return values[part.key] }
      var content = rest
      for part in parts {
        if let field = part.field { content[field] = values[part.key] }
      }
      return content.isEmpty && saved == nil ? .none : .object(content)
    }

    /// The value of a key is as in the file, or a default, which is not written before it changes.
    mutating func takeForSaved(_ value: Value?, of key: SharedIdentity) {
      guard let part = parts.first(where: { $0.key == key }) else { return }
      guard let field = part.field else {
        saved = value
        return
      }
      var content = saved?.object ?? Value.Object()
      content[field] = value
      if !content.isEmpty || saved != nil { saved = .object(content) }
    }

    /// Lets go of the value of a key which nobody uses. Called while no action changes the values.
    ///
    /// - Returns: false, if the value is not in the file yet, or if the file is just being written.
    mutating func letGo(of key: SharedIdentity, in values: Value.Object) -> Bool {
      guard let index = parts.firstIndex(where: { $0.key == key }) else { return false }
      if let field = parts[index].field {
        guard saved?.object?[field] == values[key] else { return false }
        // A default that is not in the file does not come into it any more.
        let inFile = text.value?.object?[field]
        rest[field] = inFile
        if var object = saved?.object {
          object[field] = inFile
          saved = .object(object)
        }
      } else {
        guard saved == values[key], case .no = saving, !journal.isMarked, migratedFrom == nil
        else { return false }
        saving = .ended
      }
      parts.remove(at: index)
      return true
    }

    /// Begins to read the file again or to write it. Returns false if nobody uses it any more.
    mutating func beginSaving() -> Bool {
      schedule.next = nil
      guard case .no = saving else { return false }
      saving = .running(isAhead: false)
      return true
    }
  }
}
