import LuaBridge
import Synchronization

/// A file with shared values: that of a `fileStorage` key, or the one of all `appStorage` keys.
///
/// Next to the file `NAME` there may be:
///
/// - `.NAME.journal`: the changes since the file was written, one line each. A line is written before
///   other stores, observers and the caller of `send` see the action that made it. So what they have seen
///   outlives the process.
/// - `.NAME.journal.old`: while the file is being written, the changes that the new text contains, and
///   those since the last write, if that failed.
/// - `NAME.broken-n`: a text that could not be read as a value. It is never overwritten.
/// - `NAME.v1`: the text from before a migration of version 1.
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
  /// Whether only the first process that uses the file may write it.
  let isExclusive: Bool
  /// The shortest time between two writes of the file, in nanoseconds.
  let interval: UInt64
  /// Whether functions of the key make the text (``SharedKey/hasFormat``); else it is JSON.
  let hasFormat: Bool
  /// Whether the text can have a version beside the value (``VersionedValue``). The file of all `appStorage` keys never
  /// has one, so each of its fields is a key.
  let hasVersion: Bool
  /// The worker that has the key of a file with a format; nil if there is none.
  let worker = Mutex<WorkerLink?>(nil)

  struct State: Sendable {
    /// The shared values in the file: their keys, and the fields of the file; nil for the whole file.
    var parts: [(key: String, field: String?)] = []
    /// The fields that no key of the host has asked for.
    var rest = Value.Object()
    var version = 1
    /// Whether a key of the file is being declared. Meanwhile nothing is written: a default is no
    /// change. Also once the only key has been let go of.
    var isOpening = true
    /// Whether the file is being read again or written.
    var isSaving = false
    /// The value that needs no write: that of the file, with the defaults of what it lacks; nil for none.
    var saved: Value?
    /// The value in the file; nil if there is none.
    var inFile: Value?
    /// The value that the file and its journals make; nil for none.
    var journaled: Value?
    /// ``SharedJournal/checksum(_:)`` of the file's text; 0 if there is no file.
    var base: UInt64 = 0
    /// The name of the text or journal that was kept last, because it and the values here contradict each other.
    var kept: String?
    /// Why the text that another program has written cannot be used; nil if it was taken over.
    var loadFailure: SharedStorageError?
    /// Why the file is not written: it is newer, or its migration raised.
    var refusal: SharedStorageError?
    /// Whether the text cannot be read as a value, so that it gets another name before the first write.
    var isBroken = false
    /// Whether the file or a journal could not be read, so that ``refusal`` says why. It is read again before
    /// the next write.
    var isUnread = false
    /// Whether this process writes the journal: of the processes that use the file, the first one does.
    var ownsJournal = true
    /// Whether changes go to the journal. Before a migrated value is written, the file has another
    /// version than the changes.
    var takesChanges: Bool {
      ownsJournal && refusal == nil && !isOpening && migratedFrom == nil && !isBehind
    }
    /// The number of the last change in the journals.
    var number: UInt64 = 0
    /// Whether the journals have lines, and with them a mark of the file's text (``SharedJournal``).
    var isMarked = false
    /// The bytes that were written to the journal since the file was written.
    var journalSize = 0
    /// The bytes of the file's text, as it was read or written here last.
    var fileSize = 0
    /// The number of the last change in the text that is being written.
    var writing: UInt64 = 0
    /// The version of the value in the text that is being written.
    var writingVersion = 1
    /// Whether the text that is being written has changes that could not be written to the journal. Further
    /// ones cannot follow them there before the file has that text.
    var isBehind = false
    /// The version whose text is to be kept under another name before the first write; nil for none.
    var migratedFrom: Int?
  }

  let state = Mutex(State())

  /// The file of a key.
  init(of key: SharedKey) {
    name = key.fileName
    let start = name.lastIndex(of: "/").map(name.index(after:)) ?? name.startIndex
    journal = "\(name[..<start]).\(name[start...]).journal"
    oldJournal = "\(journal).old"
    hasJournal = key.hasJournal
    withstandsPowerFailure = key.withstandsPowerFailure
    isExclusive = key.isExclusive
    interval = key.interval
    hasFormat = key.hasFormat
    hasVersion = key.kind == .fileStorage && !key.hasFormat
  }

  // MARK: Values

  /// What the file is to contain; nil for no file.
  func content(of values: Value.Object) -> Value? {
    state.withLock { state in
      if let part = state.parts.first, part.field == nil { return values[part.key] }
      var content = state.rest
      for part in state.parts {
        if let field = part.field { content[field] = values[part.key] }
      }
      return content.isEmpty && state.saved == nil ? .none : .object(content)
    }
  }

  /// The value of a key is as in the file, or a default, which is not written before it changes.
  func takeForSaved(_ value: Value?, of key: String) {
    state.withLock { state in
      guard let part = state.parts.first(where: { $0.key == key }) else { return }
      guard let field = part.field else {
        state.saved = value
        return
      }
      var content = state.saved?.object ?? Value.Object()
      content[field] = value
      if !content.isEmpty || state.saved != nil { state.saved = .object(content) }
    }
  }

  /// Lets go of the value of a key which nobody uses. Called while no action changes the values.
  ///
  /// - Returns: false, if the value is not in the file yet, or if the file is just being written.
  func letGo(of key: String, in values: Value.Object) -> Bool {
    state.withLock { state in
      guard !state.isOpening, let index = state.parts.firstIndex(where: { $0.key == key }) else {
        return false
      }
      if let field = state.parts[index].field {
        guard state.saved?.object?[field] == values[key] else { return false }
        // A default that is not in the file does not come into it any more.
        let inFile = state.inFile?.object?[field]
        state.rest[field] = inFile
        if var saved = state.saved?.object {
          saved[field] = inFile
          state.saved = .object(saved)
        }
      } else {
        guard state.saved == values[key], !state.isSaving, !state.isMarked,
          state.migratedFrom == nil
        else { return false }
        state.isOpening = true
      }
      state.parts.remove(at: index)
      return true
    }
  }

  // MARK: Reading

  /// A text of the file, as it was read.
  struct Loaded {
    var value: Value?
    /// The text itself; empty if there is none.
    var text: [UInt8] = []
    var version = 1
    /// ``SharedJournal/checksum(_:)`` of the text; 0 if there is none.
    var base: UInt64 = 0
    /// Whether there is no file. An empty one may be one that is being written.
    var isMissing = false
    /// Why there is no value, though there is a text.
    var failure: SharedStorageError?
    /// The value without the changes of the journals.
    var inFile: Value?
    /// Whether ``value`` has the changes of the journals.
    var isRecovered = false
    /// Whether the text cannot be read as a value. There is a value nevertheless, if the journals have the
    /// whole one.
    var isBroken = false

    /// Takes the changes of a journal. Without a file, the version is that of the changes.
    mutating func take(_ journal: SharedJournal.Result) {
      if value == nil && journal.hasChanges { version = journal.version }
      value = journal.value
      isRecovered = journal.hasChanges
    }
  }

  /// Reads the file and its journals. Notes what has to be done before the file is written.
  ///
  /// - Parameter key: whose functions read the text, if the file has a format.
  func load(from storage: any SharedStorage, as key: SharedKey) -> Loaded {
    state.withLock { $0.ownsJournal = storage.isFirst }
    let loaded = recovered(read(from: storage, as: key), storage)
    state.withLock { state in
      (state.base, state.saved, state.isBroken) = (loaded.base, loaded.inFile, loaded.isBroken)
      (state.inFile, state.journaled) = (loaded.inFile, loaded.value)
      state.fileSize = loaded.text.count
      if let failure = loaded.failure, !loaded.isBroken {
        state.refusal = failure
        state.isUnread = true
      } else {
        state.refusal = lock(state)
      }
    }
    return loaded
  }

  /// Why this process may not write the file, whatever is in it.
  private func lock(_ state: State) -> SharedStorageError? {
    guard isExclusive, !state.ownsJournal else { return nil }
    return SharedStorageError(
      code: "locked", message: "another process has the file, and its key is exclusive")
  }

  private func read(from storage: any SharedStorage, as key: SharedKey?) -> Loaded {
    do throws(SharedStorageError) {
      let text = try storage.read(name)
      if hasFormat {
        guard let key else { throw StoredFile.noKey }
        return text.map { StoredFile.read($0, as: key) } ?? Loaded(isMissing: true)
      }
      return text.map { $0.isEmpty ? Loaded() : read($0) } ?? Loaded(isMissing: true)
    } catch {
      return Loaded(failure: error)
    }
  }

  /// Why a file with a format can be neither read nor written.
  static let noKey = SharedStorageError(
    code: "closed",
    message: "no feature shares the key any more, whose functions read and make the file's text")

  /// Reads a text with the key's function. It has no version, and may be empty.
  private static func read(_ text: [UInt8], as key: SharedKey) -> Loaded {
    let base = SharedJournal.checksum(text)
    do throws(SharedStorageError) {
      return Loaded(value: try key.value(of: text), text: text, base: base)
    } catch {
      return Loaded(text: text, base: base, failure: error, isBroken: true)
    }
  }

  /// Lays the journals over what the file has.
  private func recovered(_ inFile: Loaded, _ storage: any SharedStorage) -> Loaded {
    var loaded = inFile
    loaded.inFile = loaded.value
    guard state.withLock({ $0.ownsJournal }), loaded.failure == nil || loaded.isBroken else {
      return loaded
    }
    var journals: [[UInt8]] = []
    do throws(SharedStorageError) {
      for name in [oldJournal, journal] { journals.append(try storage.read(name) ?? []) }
    } catch {
      return Loaded(failure: error)
    }
    let result = SharedJournal.apply(journals, to: loaded.value, text: loaded.base)
    loaded.take(result)
    if result.hasChanges { loaded.failure = nil }
    state.withLock { ($0.number, $0.isMarked) = (result.number, result.hasLines) }
    if result.isConflict { keep(journals, loaded, storage) }
    return loaded
  }

  /// Keeps journals that do not fit under another name, and puts what did fit in their place, because new
  /// lines cannot follow those that do not fit.
  private func keep(_ journals: [[UInt8]], _ loaded: Loaded, _ storage: any SharedStorage) {
    guard let free = freeName("conflict", storage) else { return }
    let number = state.withLock { $0.number }
    let lines =
      SharedJournal.mark(loaded.base, number: number)
      + SharedJournal.change(
        from: loaded.inFile, to: loaded.value, number: number &+ 1, version: loaded.version)
    do throws(SharedStorageError) {
      try storage.replace(free, with: Array(journals.joined()))
      state.withLock { $0.kept = free }
      try storage.replace(journal, with: lines)
      try storage.remove(oldJournal)
      state.withLock { $0.number = number &+ 1 }
    } catch {
      // The next start finds the same conflict.
    }
  }

  /// Reads a text that is JSON.
  private func read(_ text: [UInt8]) -> Loaded {
    let base = SharedJournal.checksum(text)
    do throws(JSONError) {
      let whole = try Value(json: text)
      let read = hasVersion ? VersionedValue(read: whole) : VersionedValue(value: whole)
      return Loaded(value: read.value, text: text, version: read.version, base: base)
    } catch {
      return Loaded(
        text: text, base: base,
        failure: SharedStorageError(
          code: "broken", message: "line \(error.line), column \(error.column): \(error.message)"),
        isBroken: true)
    }
  }

  // MARK: Others' changes

  /// Reads the file again, which another program has changed, for ``merge(_:into:in:default:)``.
  ///
  /// - Parameter key: whose functions read the text, if the file has a format.
  func readAgain(from storage: any SharedStorage, as key: SharedKey?) -> Loaded {
    var loaded = read(from: storage, as: key)
    // What the journals have is in our values, unless these were never read.
    let wasUnread = state.withLock { $0.isUnread }
    if wasUnread { loaded = recovered(loaded, storage) } else { loaded.inFile = loaded.value }
    state.withLock { state in
      state.isUnread = loaded.failure != nil && !loaded.isBroken
      if loaded.failure == nil, loaded.base != 0, loaded.version != state.version {
        let isNewer = loaded.version > state.version
        loaded.failure = SharedStorageError(
          code: isNewer ? "newer" : "migration",
          message:
            "another program has written version \(loaded.version), and the value has version "
            + "\(state.version)" + (isNewer ? "" : "; it is migrated at the next start"))
      }
      state.isBroken = loaded.isBroken
      state.refusal = (loaded.isBroken ? nil : loaded.failure) ?? lock(state)
      // The next line of the journal is to have the whole value, as it cannot build on this text.
      if loaded.isBroken, loaded.failure != nil {
        (state.base, state.inFile, state.journaled) = (loaded.base, nil, nil)
        state.isMarked = false
      }
      // Else the default would seem to be what others have removed.
      if wasUnread, loaded.failure == nil, loaded.value == nil { state.saved = nil }
    }
    return loaded
  }

  /// Lays what has changed here over what another program has written. Called while no action changes
  /// the values.
  ///
  /// - Parameter defaultValue: the default of a key, for a value that is no longer there.
  /// - Returns: the new values.
  func merge(
    _ loaded: Loaded, into values: Value.Object, in storage: any SharedStorage,
    default defaultValue: (String) -> Value?
  ) -> Value.Object {
    let (saved, isRemoved) = state.withLock { ($0.saved, loaded.isMissing && $0.inFile != nil) }
    // Whoever removes a file removes what was not written yet as well.
    let ours = isRemoved ? saved : content(of: values)
    let merge = ValueMerge(ours: ours, theirs: loaded.value, base: saved)
    if merge.hasConflict, loaded.value != nil, let free = freeName("conflict", storage) {
      let isKept = (try? storage.replace(free, with: loaded.text)) != nil
      if isKept { state.withLock { $0.kept = free } }
    }
    var new = values
    var supersedesJournals = false
    state.withLock { state in
      (state.base, state.inFile, state.journaled) = (loaded.base, loaded.inFile, loaded.value)
      if !loaded.isRecovered { supersedesJournals = state.isMarked }
      for part in state.parts {
        let value = part.field.map { merge.value?.object?[$0] } ?? merge.value
        new[part.key] = value ?? defaultValue(part.key) ?? values[part.key]
      }
      if let rest = merge.value?.object, state.parts.contains(where: { $0.field != nil }) {
        state.rest = rest
        for part in state.parts {
          if let field = part.field { state.rest[field] = nil }
        }
      }
    }
    let content = content(of: new)
    // A default that takes the place of a removed value is not written.
    state.withLock { $0.saved = merge.value == loaded.inFile ? content : loaded.inFile }
    // What the journals have is in our values.
    if supersedesJournals { markText(in: storage) }
    if merge.value != loaded.value { journal(content, in: storage) }
    return new
  }
}
