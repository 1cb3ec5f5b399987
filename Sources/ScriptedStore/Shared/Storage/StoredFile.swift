import LuaBridge
import Synchronization

/// A file with shared values: that of a `fileStorage` key, or the one of all `appStorage` keys.
///
/// Next to the file `NAME` there may be:
///
/// - `.NAME.journal`: the changes since the file was written, one line each. A line is written before
///   other stores, observers and the caller of `send` see the action that made it. So what they have seen
///   outlives the process.
/// - `.NAME.journal.old`: while the file is being written, the changes that the new text contains.
/// - `NAME.broken-n`: a text that could not be read as a value. It is never overwritten.
/// - `NAME.v1`: the text from before a migration of version 1.
/// - `NAME.conflict-n`: a journal that did not fit the file, or a text in which another program had changed
///   what also changed here.
final class StoredFile: Sendable {
  let name: String
  /// Whether each change is written to the journal.
  let hasJournal: Bool
  /// The shortest time between two writes of the file, in nanoseconds.
  let interval: UInt64

  struct State: Sendable {
    /// The shared values in the file: their keys, and the fields of the file; nil for the whole file.
    var parts: [(key: String, field: String?)] = []
    /// The fields that no key of the host has asked for.
    var rest = Value.Object()
    var version = 1
    /// Whether a key of the file is being declared. Meanwhile nothing is written: a default is no
    /// change.
    var isOpening = true
    /// The value in the file; nil if there is none.
    var saved: Value?
    /// The value that the file and its journals make; nil for none.
    var journaled: Value?
    /// ``SharedJournal/checksum(_:)`` of the file's text; 0 if there is no file.
    var base: UInt64 = 0
    /// Why the text that another program has written cannot be used; nil if it was taken over.
    var loadFailure: SharedStorageError?
    /// Why the file is not written: it is newer, or its migration raised.
    var refusal: SharedStorageError?
    /// Whether the text cannot be read as a value, so that it gets another name before the first write.
    var isBroken = false
    /// Whether this process writes the journal: of the processes that use the file, the first one does.
    var ownsJournal = true
    /// Whether changes go to the journal. Before a migrated value is written, the file has another
    /// version than the changes.
    var takesChanges: Bool {
      ownsJournal && refusal == nil && !isOpening && migratedFrom == nil
    }
    /// The version whose text is to be kept under another name before the first write; nil for none.
    var migratedFrom: Int?
  }

  let state = Mutex(State())

  init(_ name: String, hasJournal: Bool, interval: UInt64) {
    self.name = name
    self.hasJournal = hasJournal
    self.interval = interval
  }

  private var folder: String {
    name.lastIndex(of: "/").map { String(name[...$0]) } ?? ""
  }

  private var lastName: Substring {
    name[(name.lastIndex(of: "/").map(name.index(after:)) ?? name.startIndex)...]
  }

  var journal: String { "\(folder).\(lastName).journal" }
  var oldJournal: String { "\(folder).\(lastName).journal.old" }

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

  // MARK: Reading

  /// A text of the file, as it was read.
  struct Loaded {
    var value: Value?
    var version = 1
    /// ``SharedJournal/checksum(_:)`` of the text; 0 if there is none.
    var base: UInt64 = 0
    /// Why there is no value, though there is a text.
    var failure: SharedStorageError?
    var isBroken: Bool { failure?.code == "broken" }

    /// Takes the changes of a journal. Without a file, the version is that of the changes.
    mutating func take(_ journal: SharedJournal.Result) {
      if value == nil && journal.hasChanges { version = journal.version }
      value = journal.value
    }
  }

  /// Reads the file and its journals. Notes what has to be done before the file is written.
  func load(from storage: any SharedStorage) -> Loaded {
    var loaded = read(from: storage)
    state.withLock { state in
      (state.base, state.saved, state.isBroken) = (loaded.base, loaded.value, loaded.isBroken)
      state.ownsJournal = storage.isFirst
      if let failure = loaded.failure, !loaded.isBroken { state.refusal = failure }
    }
    if storage.isFirst, loaded.failure == nil || loaded.isBroken { recover(&loaded, storage) }
    state.withLock { $0.journaled = loaded.value }
    return loaded
  }

  private func read(from storage: any SharedStorage) -> Loaded {
    do throws(SharedStorageError) {
      let text = try storage.read(name) ?? []
      return text.isEmpty ? Loaded() : StoredFile.read(text)
    } catch {
      return Loaded(failure: error)
    }
  }

  /// Lays the journals over what the file has.
  private func recover(_ loaded: inout Loaded, _ storage: any SharedStorage) {
    let base = loaded.base
    if let old = try? storage.read(oldJournal), !old.isEmpty {
      let result = SharedJournal.apply(old, to: loaded.value, base: base)
      // Else the process ended after the new text was there, which has these changes.
      if result.belongs && !result.isConflict { loaded.take(result) }
    }
    guard let journal = try? storage.read(journal), !journal.isEmpty else { return }
    let result = SharedJournal.apply(journal, to: loaded.value, base: base)
    loaded.take(result)
    guard result.isConflict else { return }
    if let free = freeName("conflict", storage) { try? storage.replace(free, with: journal) }
  }

  /// Reads a text: the plain value, or `{"$version": 2, "$value": …}`.
  private static func read(_ text: [UInt8]) -> Loaded {
    let base = SharedJournal.checksum(text)
    do throws(JSONError) {
      let value = try Value(json: text)
      if let object = value.object, let version = object["$version"]?.int, version >= 1 {
        return Loaded(value: object["$value"], version: Int(version), base: base)
      }
      return Loaded(value: value, base: base)
    } catch {
      return Loaded(
        base: base,
        failure: SharedStorageError(
          code: "broken", message: "line \(error.line), column \(error.column): \(error.message)"))
    }
  }

  // MARK: Others' changes

  /// Reads the file again, which another program has changed, for ``merge(_:into:in:default:)``.
  func readAgain(from storage: any SharedStorage) -> Loaded {
    var loaded = read(from: storage)
    state.withLock { state in
      if loaded.failure == nil, loaded.base != 0, loaded.version != state.version {
        let isNewer = loaded.version > state.version
        loaded.failure = SharedStorageError(
          code: isNewer ? "newer" : "migration",
          message:
            "another program has written version \(loaded.version), and the value has version "
            + "\(state.version)" + (isNewer ? "" : "; it is migrated at the next start"))
      }
      state.isBroken = loaded.isBroken
      state.refusal = loaded.isBroken ? nil : loaded.failure
      // The next line of the journal is to have the whole value, as it cannot build on this text.
      if loaded.isBroken { (state.base, state.journaled) = (loaded.base, nil) }
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
    let ours = content(of: values)
    let merge = ValueMerge(
      ours: ours, theirs: loaded.value, base: state.withLock { $0.saved })
    if merge.hasConflict, let theirs = loaded.value, let free = freeName("conflict", storage) {
      try? storage.replace(free, with: StoredFile.text(of: theirs, version: loaded.version))
    }
    // What the journal has is in `ours`.
    setJournalAside(in: storage)
    var new = values
    state.withLock { state in
      (state.base, state.journaled) = (loaded.base, loaded.value)
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
    state.withLock { $0.saved = merge.value == loaded.value ? content : loaded.value }
    if merge.value != loaded.value { journal(content, in: storage) }
    return new
  }

  // MARK: Writing

  /// Appends a line to the journal, if the content differs. Called before the new values can be read.
  func journal(
    from old: Value.Object, to new: Value.Object, in storage: any SharedStorage
  ) {
    let (before, after) = (content(of: old), content(of: new))
    if before != after { journal(after, in: storage) }
  }

  /// Appends the change that leads from what the file and its journal make to a content.
  private func journal(_ after: Value?, in storage: any SharedStorage) {
    let (known, base, version) = state.withLock { ($0.journaled, $0.base, $0.version) }
    guard hasJournal, known != after, state.withLock({ $0.takesChanges }) else { return }
    let line = SharedJournal.line(from: known, to: after, base: base, version: version)
    do throws(SharedStorageError) {
      try storage.append(line, to: journal)
      state.withLock { $0.journaled = after }
    } catch {
      // The disk is full, or the like. The file is written soon, and the failure of that is told.
    }
  }

  /// Sets the journal aside, because what it has is in the content that is about to be written.
  func setJournalAside(in storage: any SharedStorage) {
    guard hasJournal, state.withLock({ $0.ownsJournal }) else { return }
    do throws(SharedStorageError) {
      if let old = try storage.read(oldJournal), !old.isEmpty {
        // The last write failed.
        if let new = try storage.read(journal) { try storage.append(new, to: oldJournal) }
        try storage.remove(journal)
      } else {
        try storage.move(journal, to: oldJournal)
      }
    } catch {
      // The journal stays. Its changes are found to be there already.
    }
  }

  /// Writes the file, unless it has this content. Returns whether it was written.
  func save(_ content: Value?, to storage: any SharedStorage) throws(SharedStorageError) -> Bool {
    let (state, isSaved) = state.withLock { ($0, $0.saved == content && $0.migratedFrom == nil) }
    if isSaved {
      if state.refusal == nil { try removeOldJournal(storage) }
      return false
    }
    if let refusal = state.refusal { throw refusal }
    if state.isBroken, let free = freeName("broken", storage) { try storage.move(name, to: free) }
    if let version = state.migratedFrom, let old = try storage.read(name) {
      try storage.replace("\(name).v\(version)", with: old)
    }
    var text: [UInt8] = []
    if let content {
      text = StoredFile.text(of: content, version: state.version)
      try storage.replace(name, with: text)
    } else {
      try storage.remove(name)
    }
    self.state.withLock { state in
      state.saved = content
      // What was written to the new journal meanwhile follows it.
      if !state.takesChanges { state.journaled = content }
      state.base = content == nil ? 0 : SharedJournal.checksum(text)
      state.isBroken = false
      state.migratedFrom = nil
    }
    try removeOldJournal(storage)
    return true
  }

  private func removeOldJournal(_ storage: any SharedStorage) throws(SharedStorageError) {
    if state.withLock({ $0.ownsJournal }) { try storage.remove(oldJournal) }
  }

  private static func text(of content: Value, version: Int) -> [UInt8] {
    let whole: Value =
      version == 1
      ? content : .object(["$version": .integer(Int64(version)), "$value": content])
    var text: [UInt8] = []
    whole.appendJSON(to: &text, .pretty)
    return text + [UInt8(ascii: "\n")]
  }

  /// The first name `NAME.kind-n` under which there is nothing; nil if there are too many.
  private func freeName(_ kind: String, _ storage: any SharedStorage) -> String? {
    (1...1000).lazy.map { "\(self.name).\(kind)-\($0)" }.first {
      (try? storage.read($0)) == .some(nil)
    }
  }
}
