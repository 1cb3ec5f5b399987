import ScriptValue

/// What is known of a file with shared values, and what follows from it. It reads and writes nothing itself: it
/// says what ``StoredFile`` has to do.
///
///     opening ──▶ open ──beginSaving──▶ saving ──▶ open
///
/// A key that is declared while the file is being saved opens it again meanwhile.
struct FileState: Sendable {
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
    /// `isBehind`: whether the text that is being written has changes that could not be written to the journal.
    /// Further ones cannot follow them there before the file has that text.
    case running(isBehind: Bool)
  }

  /// Whether this process writes the journal: of the processes that use the file, the first one does.
  let ownsJournal: Bool
  /// Whether only another process may write the file.
  let isLocked: Bool
  /// The shared values in the file: their keys, and the fields of the file; nil for the whole file.
  var parts: [(key: SharedIdentity, field: String?)] = []
  /// The fields that no key of the host has asked for.
  var rest = Value.Object()
  var version = 1
  /// The version whose text is to be kept under another name before the first write; nil for none.
  var migratedFrom: Int?
  /// Whether a key of the file is being declared. Meanwhile nothing is written: a default is no
  /// change. Also once the only key has been let go of.
  var isOpening = true
  var saving = Saving.no
  /// The value that needs no write: that of the file, with the defaults of what it lacks; nil for none.
  var saved: Value?
  var text = Text()
  var journal = Journal()

  init(ownsJournal: Bool, isExclusive: Bool) {
    self.ownsJournal = ownsJournal
    isLocked = isExclusive && !ownsJournal
  }

  /// Why the file is not written; nil if it may be.
  var refusal: SharedStorageError? {
    switch text.use {
    case .unread(let failure), .refused(let failure): failure
    case .usable, .broken: isLocked ? FileState.locked : nil
    }
  }

  private static let locked = SharedStorageError(
    code: "locked", message: "another process has the file, and its key is exclusive")

  var isBroken: Bool { if case .broken = text.use { true } else { false } }
  var isUnread: Bool { if case .unread = text.use { true } else { false } }
  private var isBehind: Bool { if case .running(isBehind: true) = saving { true } else { false } }

  /// Whether changes go to the journal. Before a migrated value is written, the file has another
  /// version than the changes.
  private var takesChanges: Bool {
    ownsJournal && refusal == nil && !isOpening && migratedFrom == nil && !isBehind
  }

  // MARK: Values

  /// What the file is to contain; nil for no file.
  func content(of values: Value.Object) -> Value? {
    if let part = parts.first, part.field == nil { return values[part.key] }
    var content = rest
    for part in parts {
      if let field = part.field { content[field] = values[part.key] }
    }
    return content.isEmpty && saved == nil ? .none : .object(content)
  }

  /// A further key of the file of all `appStorage` keys is being declared. Returns its value in the file.
  mutating func add(_ key: SharedIdentity, field: String) -> Value? {
    isOpening = true
    parts.append((key, field))
    return rest.removeValue(forKey: field)
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
    guard !isOpening, let index = parts.firstIndex(where: { $0.key == key }) else { return false }
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
      isOpening = true
    }
    parts.remove(at: index)
    return true
  }

  // MARK: Reading

  /// The file was read for the first time.
  mutating func begin(with loaded: LoadedText) {
    text = Text(
      value: loaded.inFile, checksum: loaded.checksum, size: loaded.text.count, use: loaded.use)
    (saved, journal.value) = (loaded.inFile, loaded.value)
  }

  /// A key refuses the text, which can be read. The text gets another name before the first write.
  mutating func refuse(_ failure: SharedStorageError, by key: SharedIdentity) {
    text.use = .broken
    text.refusals[key] = failure
  }

  /// What a failure to read or write the file is for one of its keys. It is none, if only other keys refuse the text.
  func failure(_ failure: SharedStorageError?, of key: SharedIdentity) -> SharedStorageError? {
    guard let failure, text.refusals.values.contains(failure) else { return failure }
    return text.refusals[key]
  }

  /// The file was read again. A text of another version is a failure, and so is the one that keys have refused.
  mutating func take(_ loaded: inout LoadedText) {
    if loaded.failure == nil, let refusal = text.refusals.first?.value,
      loaded.checksum == text.checksum
    {
      if isUnread { text.use = .broken }
      loaded.failure = refusal
      return
    }
    // What cannot be read just now may be the same text.
    if loaded.failure == nil || loaded.isBroken { text.refusals = [:] }
    let wasUnread = isUnread
    text.use = loaded.use
    if loaded.failure == nil, loaded.checksum != 0, loaded.version != version {
      let failure = SharedStorageError.otherVersion(loaded.version, than: version)
      loaded.failure = failure
      if !loaded.isBroken { text.use = .refused(failure) }
    }
    // The next line of the journal is to have the whole value, as it cannot build on this text.
    if loaded.isBroken, loaded.failure != nil {
      (text.checksum, text.value, journal.value) = (loaded.checksum, nil, nil)
      journal.isMarked = false
    }
    // Else the default would seem to be what others have removed.
    if wasUnread, loaded.failure == nil, loaded.value == nil { saved = nil }
  }

  /// Our value and what it was made of, to be merged with what another program has written.
  func sides(_ values: Value.Object, _ loaded: LoadedText) -> (ours: Value?, base: Value?) {
    // A program that removes the file also removes the changes that were not written yet.
    let isRemoved = loaded.isMissing && text.value != nil
    return (isRemoved ? saved : content(of: values), saved)
  }

  /// Takes over a value that was merged with what another program has written.
  ///
  /// - Parameters:
  ///   - values: gets the new values.
  ///   - defaultValue: the default of a key, for a value that is no longer there.
  /// - Returns: what the file is to contain.
  mutating func take(
    merged: Value?, from loaded: LoadedText, into values: inout Value.Object,
    default defaultValue: (SharedIdentity) -> Value?
  ) -> Value? {
    (text.checksum, text.value, journal.value) = (loaded.checksum, loaded.inFile, loaded.value)
    for part in parts {
      let value = part.field.map { merged?.object?[$0] } ?? merged
      values[part.key] = value ?? defaultValue(part.key) ?? values[part.key]
    }
    if let object = merged?.object, parts.contains(where: { $0.field != nil }) {
      rest = object
      for part in parts {
        if let field = part.field { rest[field] = nil }
      }
    }
    let content = content(of: values)
    // A default that takes the place of a removed value is not written.
    saved = merged == loaded.inFile ? content : loaded.inFile
    return content
  }

  // MARK: Writing

  /// Begins to read the file again or to write it. Returns false while that may not be done.
  mutating func beginSaving() -> Bool {
    if isOpening { return false }
    saving = .running(isBehind: false)
    return true
  }

  /// A line that the journal lacks.
  struct Line {
    let text: [UInt8]
    let value: Value?
    let number: UInt64
  }

  /// The change that leads from what the file and its journals make to a content; nil if there is none, or if it
  /// cannot go to the journal.
  func line(to content: Value?) -> Line? {
    guard takesChanges, journal.value != content else { return nil }
    let number = journal.number &+ 1
    let mark =
      journal.isMarked ? [] : SharedJournal.mark(text.checksum, number: journal.number)
    let change = SharedJournal.change(
      from: journal.value, to: content, number: number, version: version)
    return Line(text: mark + change, value: content, number: number)
  }

  mutating func didAppend(_ line: Line) {
    (journal.value, journal.number, journal.isMarked) = (line.value, line.number, true)
    journal.size += line.text.count
  }

  /// Whether the file is written before the end of its interval, so that the journal does not grow without end.
  var hasLongJournal: Bool { journal.size > max(FileState.shortJournal, 2 * text.size) }

  /// In bytes.
  private static let shortJournal = 4 << 20

  /// A write of the file.
  struct Write {
    /// What the file is to contain; nil for no file.
    let content: Value?
    let version: Int
    /// The number of the last change that is in the content.
    let number: UInt64
  }

  /// Begins to write a content, when the journal was set aside. Called while no action changes the values.
  mutating func beginWrite(of content: Value?) -> Write {
    let isBehind = takesChanges && saved != content && journal.value != content
    saving = .running(isBehind: isBehind)
    return Write(content: content, version: version, number: journal.number)
  }

  /// The file has a content.
  ///
  /// - Parameter text: the text that was written; nil if the file had the content already.
  mutating func didWrite(_ write: Write, _ text: (checksum: UInt64, size: Int)?) {
    saved = write.content
    if let text {
      self.text.refusals = [:]
      (self.text.value, self.text.checksum, self.text.size) =
        (write.content, text.checksum, text.size)
    }
    if journal.number == write.number { journal.value = self.text.value }
    if isBroken { self.text.use = .usable }
    // A reload may have migrated the value after the text was made of it.
    if write.version == version { migratedFrom = nil }
    saving = .running(isBehind: false)
  }
}
