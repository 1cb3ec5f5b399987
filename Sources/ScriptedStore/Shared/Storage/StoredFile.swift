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
/// - `NAME.v1`: the text from before a migration of version 1; `NAME.v1-n` beside other ones.
/// - `NAME.conflict-n`: a journal that did not fit the file, or a text in which another program had changed
///   what also changed here.
///
/// This object reads and writes them. ``FileState`` says what, ``SharedSaver`` when.
final class StoredFile: Sendable {
  let name: String
  let journal: String
  let oldJournal: String
  /// Whether each change is written to the journal.
  private let hasJournal: Bool
  /// Whether what is in the journal outlives a power failure.
  private let withstandsPowerFailure: Bool
  /// The shortest time between two writes of the file, in nanoseconds.
  let interval: UInt64
  /// Whether functions of the key make the text (``SharedKey/hasFormat``); else it is JSON.
  let hasFormat: Bool
  /// Whether the text can have a version beside the value (``VersionedValue``). The file of all `appStorage` keys never
  /// has one, so each of its fields is a key.
  private let hasVersion: Bool
  private let storage: any SharedStorage
  let state: Mutex<FileState>
  let schedule = Mutex(SaveSchedule())
  /// The worker that has the key of a file with a format; nil if there is none.
  let worker = Mutex<WorkerLink?>(nil)

  init(of key: SharedKey, in storage: any SharedStorage) {
    name = key.fileName
    // By bytes: a slash before a combining character is not the `Character` "/".
    let slash = name.utf8.lastIndex(of: UInt8(ascii: "/"))
    let start = slash.map(name.utf8.index(after:)) ?? name.startIndex
    journal = "\(name[..<start]).\(name[start...]).journal"
    oldJournal = "\(journal).old"
    hasJournal = key.hasJournal
    withstandsPowerFailure = key.withstandsPowerFailure
    interval = key.interval
    hasFormat = key.hasFormat
    hasVersion = key.kind == .fileStorage && !key.hasFormat
    self.storage = storage
    state = Mutex(FileState(ownsJournal: storage.isFirst, isExclusive: key.isExclusive))
  }

  var parts: [(key: SharedIdentity, field: String?)] { state.withLock { $0.parts } }

  /// What a failure is for one key of the file; see ``FileState/failure(_:of:)``.
  func failure(_ failure: SharedStorageError?, of key: SharedIdentity) -> SharedStorageError? {
    state.withLock { $0.failure(failure, of: key) }
  }

  // MARK: Reading

  /// Reads the file and its journals. Notes what has to be done before the file is written.
  ///
  /// - Parameter key: whose functions read the text, if the file has a format.
  func load(as key: SharedKey) -> LoadedText {
    let loaded = recovered(read(as: key))
    state.withLock { $0.begin(with: loaded) }
    return loaded
  }

  /// Reads the file again, which another program has changed, for ``merge(_:into:default:)``.
  ///
  /// - Parameter key: whose functions read the text, if the file has a format.
  func readAgain(as key: SharedKey?) -> LoadedText {
    var loaded = read(as: key)
    // What the journals have is in our values, unless these were never read.
    if state.withLock(\.isUnread) { loaded = recovered(loaded) }
    return state.withLock { [loaded] state in
      var loaded = loaded
      state.take(&loaded)
      return loaded
    }
  }

  private func read(as key: SharedKey?) -> LoadedText {
    do throws(SharedStorageError) {
      let text = try storage.read(name)
      if hasFormat && key == nil { throw StoredFile.noKey }
      guard let text else { return LoadedText(isMissing: true) }
      if hasFormat, let key {
        return LoadedText(text) { text throws(SharedStorageError) in
          VersionedValue(value: try key.value(of: text))
        }
      }
      return text.isEmpty ? LoadedText() : LoadedText(json: text, hasVersion: hasVersion)
    } catch {
      return LoadedText(failure: error)
    }
  }

  /// Why a file with a format can be neither read nor written.
  private static let noKey = SharedStorageError(
    code: "closed",
    message: "no feature shares the key any more, whose functions read and make the file's text")

  /// Lays the journals over what the file has.
  private func recovered(_ inFile: LoadedText) -> LoadedText {
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

  /// Lays what has changed here over what another program has written. Called while no action changes
  /// the values.
  ///
  /// - Parameters:
  ///   - values: gets the new values.
  ///   - defaultValue: the default of a key, for a value that is no longer there.
  /// - Returns: the name of the file that has what did not fit; nil if all did.
  func merge(
    _ loaded: LoadedText, into values: inout Value.Object,
    default defaultValue: (SharedIdentity) -> Value?
  ) -> String? {
    let (ours, base) = state.withLock { $0.sides(values, loaded) }
    let merge = ValueMerge(ours: ours, theirs: loaded.value, base: base)
    var kept: String?
    if merge.hasConflict, loaded.value != nil, let free = try? freeName("conflict"),
      (try? storage.replace(free, with: loaded.text)) != nil
    {
      kept = free
    }
    // What the journals have is in our values.
    let supersedesJournals = !loaded.isRecovered && state.withLock { $0.journal.isMarked }
    let content = state.withLock {
      $0.take(merged: merge.value, from: loaded, into: &values, default: defaultValue)
    }
    if supersedesJournals { markText() }
    if merge.value != loaded.value { append(content) }
    return kept
  }

  /// The first name `NAME.kind-n` under which there is nothing. Throws if there is something that cannot be read.
  private func freeName(_ kind: String) throws(SharedStorageError) -> String {
    var number = 1
    while try storage.read("\(name).\(kind)-\(number)") != nil { number += 1 }
    return "\(name).\(kind)-\(number)"
  }

  // MARK: The journal

  /// Appends a line to the journal, if the content differs. Called before the new values can be read.
  /// Returns whether it differs.
  func append(from old: Value.Object, to new: Value.Object) -> Bool {
    let (before, after, isOpening) = state.withLock {
      ($0.content(of: old), $0.content(of: new), $0.isOpening)
    }
    // A first value is no change, and a file with a format has no worker yet.
    if before == after || isOpening { return false }
    append(after)
    return true
  }

  /// Appends the change that leads from what the file and its journals make to a content. Called while no action
  /// changes the values.
  func append(_ content: Value?) {
    guard hasJournal, let line = state.withLock({ $0.line(to: content) }) else { return }
    do throws(SharedStorageError) {
      try storage.append(line.text, to: journal)
      if withstandsPowerFailure { try storage.synchronize(journal) }
      state.withLock { $0.didAppend(line) }
    } catch {
      // The disk is full, or the like. The next line has this change too. The file is written soon, and
      // the failure of that is told.
    }
  }

  /// Appends what the journal may lack of the values, and returns what the file is to contain. A default that the file
  /// does not have is no change. Called while no action changes the values.
  func appendUnsaved(_ values: Value.Object) -> (content: Value?, isUnsaved: Bool) {
    let (content, isUnsaved) = state.withLock { state in
      let content = state.content(of: values)
      return (content, state.saved != content)
    }
    if isUnsaved { append(content) }
    return (content, isUnsaved)
  }

  /// Writes down that the file's text, which another program has written, has all changes of the journals.
  private func markText() {
    let mark = state.withLock { state in
      state.journal.isMarked = false
      return SharedJournal.mark(state.text.checksum, number: state.journal.number)
    }
    guard (try? storage.append(mark, to: journal)) != nil else { return }
    state.withLock { $0.journal.isMarked = true }
  }

  /// Sets the journal aside, because its changes are in the content that is about to be written.
  private func setJournalAside() {
    state.withLock { $0.journal.size = 0 }
    do throws(SharedStorageError) {
      if let old = try storage.read(oldJournal), !old.isEmpty {
        // The last write failed.
        if let new = try storage.read(journal) { try storage.append(new, to: oldJournal) }
        try storage.remove(journal)
      } else {
        try storage.move(journal, to: oldJournal)
      }
    } catch {
      // The changes are found by their numbers, in whichever journal they are, and also in both.
    }
  }

  // MARK: Writing

  /// Writes the file, unless it has the current values. Returns whether it was written. A kill at any moment loses
  /// and doubles nothing:
  ///
  /// 1. While no action changes the values, the journal becomes the old journal, behind what is
  ///    left there from a write that failed.
  /// 2. A mark of the new text is written to the new journal. Before that, a start takes all changes for
  ///    missing in the file.
  /// 3. The file is replaced at once. After that, a start finds the mark of the new text.
  /// 4. While no action changes the values, the old journal is removed, and the new one, if no
  ///    action has changed the values meanwhile.
  ///
  /// - Parameter key: whose functions make the text, if the file has a format.
  func write(_ values: SharedValues, as key: SharedKey?) throws(SharedStorageError) -> Bool {
    let write = try values.holding { prepare($0) }
    let state = state.withLock { $0 }
    let isSaved = state.saved == write.content && state.migratedFrom == nil
    if isSaved, state.refusal != nil || state.isBroken { return false }
    if let refusal = state.refusal { throw refusal }
    let text = isSaved ? nil : try text(of: write.content, as: key, version: write.version)
    let checksum = isSaved ? state.text.checksum : text.map { SharedJournal.checksum($0) } ?? 0
    if state.ownsJournal, state.journal.isMarked || (hasJournal && !isSaved) {
      try values.holding { _ throws(SharedStorageError) in
        do throws(SharedStorageError) {
          try storage.append(SharedJournal.mark(checksum, number: write.number), to: journal)
        } catch {
          // Without older changes the text needs no mark.
          if state.journal.isMarked { throw error }
        }
      }
    }
    if !isSaved {
      try keepOldText()
      if let text { try storage.replace(name, with: text) } else { try storage.remove(name) }
    }
    try values.holding { values throws(SharedStorageError) in
      self.state.withLock { $0.didWrite(write, isSaved ? nil : (checksum, text?.count ?? 0)) }
      try finish(write, values)
    }
    return !isSaved
  }

  private func prepare(_ values: Value.Object) -> FileState.Write {
    let content = appendUnsaved(values).content
    if state.withLock(\.ownsJournal) { setJournalAside() }
    return state.withLock { $0.beginWrite(of: content) }
  }

  /// The file has its content: removes the journals that are not needed any more.
  private func finish(
    _ write: FileState.Write, _ values: Value.Object
  ) throws(SharedStorageError) {
    _ = appendUnsaved(values)
    guard state.withLock(\.ownsJournal) else { return }
    try storage.remove(oldJournal)
    guard state.withLock({ $0.journal.number == write.number }) else { return }
    try storage.remove(journal)
    state.withLock { $0.journal.isMarked = false }
  }

  /// Keeps a text under another name that cannot be read, or that has an older version.
  private func keepOldText() throws(SharedStorageError) {
    let (isBroken, version) = state.withLock { ($0.isBroken, $0.migratedFrom) }
    guard isBroken || version != nil, let old = try storage.read(name) else { return }
    if isBroken {
      // A copy, so that there is a file at each moment.
      try storage.replace(freeName("broken"), with: old)
      state.withLock { $0.text.use = .usable }
    }
    if let version { try keep(old, of: version) }
  }

  /// Copies a text of an older version to a name that no other text has, unless there is a copy.
  private func keep(_ old: [UInt8], of version: Int) throws(SharedStorageError) {
    var (copy, number) = ("\(name).v\(version)", 0)
    while let kept = try storage.read(copy) {
      if kept == old { return }
      number += 1
      copy = "\(name).v\(version)-\(number)"
    }
    try storage.replace(copy, with: old)
  }

  private func text(
    of content: Value?, as key: SharedKey?, version: Int
  ) throws(SharedStorageError) -> [UInt8]? {
    guard let content else { return nil }
    if hasFormat {
      guard let key else { throw StoredFile.noKey }
      return try key.text(of: content)
    }
    let whole = hasVersion ? VersionedValue(value: content, version: version).written : content
    var text: [UInt8] = []
    whole.appendJSON(to: &text, .pretty)
    return text + [UInt8(ascii: "\n")]
  }
}
