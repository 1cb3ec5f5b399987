import LuaBridge

// How a file is written, so that a kill at any moment loses and doubles nothing:
//
// 1. `prepare`, while no action changes the values: the journal becomes the old journal, behind what is
//    left there from a write that failed.
// 2. A mark of the new text is written to the new journal. Before that, a start takes all changes for
//    missing in the file.
// 3. The file is replaced at once. After that, a start finds the mark of the new text.
// 4. `finish`, while no action changes the values: the old journal is removed, and the new one, if no
//    action has changed the values meanwhile.
extension StoredFile {
  // MARK: The journal

  /// Appends a line to the journal, if the content differs. Called before the new values can be read.
  /// Returns whether it differs.
  func journal(
    from old: Value.Object, to new: Value.Object, in storage: any SharedStorage
  ) -> Bool {
    let (before, after) = (content(of: old), content(of: new))
    // A first value is no change, and a file with a format has no worker yet.
    if before == after || state.withLock(\.isOpening) { return false }
    journal(after, in: storage)
    return true
  }

  /// Appends the change that leads from what the file and its journals make to a content.
  func journal(_ after: Value?, in storage: any SharedStorage) {
    let state = state.withLock { $0 }
    guard hasJournal, state.takesChanges, state.journaled != after else { return }
    let number = state.number &+ 1
    let change = SharedJournal.change(
      from: state.journaled, to: after, number: number, version: state.version)
    let mark = state.isMarked ? [] : SharedJournal.mark(state.base, number: state.number)
    do throws(SharedStorageError) {
      try storage.append(mark + change, to: journal)
      if withstandsPowerFailure { try storage.synchronize(journal) }
      self.state.withLock { state in
        (state.journaled, state.number, state.isMarked) = (after, number, true)
        state.journalSize += mark.count + change.count
      }
    } catch {
      // The disk is full, or the like. The next line has this change too. The file is written soon, and
      // the failure of that is told.
    }
  }

  /// Whether the file is written before the end of its interval, so that the journal does not grow without end.
  var hasLongJournal: Bool {
    state.withLock { $0.journalSize > max(StoredFile.shortJournal, 2 * $0.fileSize) }
  }

  /// In bytes.
  private static let shortJournal = 4 << 20

  /// Writes down that the file's text, which another program has written, has all changes of the journals.
  func markText(in storage: any SharedStorage) {
    let (text, number) = state.withLock { state in
      state.isMarked = false
      return (state.base, state.number)
    }
    guard (try? storage.append(SharedJournal.mark(text, number: number), to: journal)) != nil else {
      return
    }
    state.withLock { $0.isMarked = true }
  }

  /// Sets the journal aside, because its changes are in the content that is about to be written.
  private func setJournalAside(in storage: any SharedStorage) {
    state.withLock { $0.journalSize = 0 }
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

  // MARK: The file

  /// Begins to read the file again or to write it. Returns false while that may not be done.
  func beginSaving() -> Bool {
    state.withLock { state in
      state.isSaving = !state.isOpening
      return state.isSaving
    }
  }

  /// What the file is to contain. Called while no action changes the values.
  func prepare(_ values: Value.Object, in storage: any SharedStorage) -> Value? {
    let content = content(of: values)
    state.withLock { $0.writingVersion = $0.version }
    guard state.withLock({ $0.ownsJournal }) else { return content }
    // What could not be written to it before.
    if state.withLock({ $0.saved != content }) { journal(content, in: storage) }
    setJournalAside(in: storage)
    state.withLock { state in
      state.writing = state.number
      state.isBehind =
        state.takesChanges && state.saved != content && state.journaled != content
    }
    return content
  }

  /// Writes the file, unless it has this content. Returns whether it was written.
  ///
  /// - Parameters:
  ///   - content: what ``prepare(_:in:)`` returned.
  ///   - key: whose functions make the text, if the file has a format.
  func save(
    _ content: Value?, to storage: any SharedStorage, as key: SharedKey?, _ host: SharedSaver.Host
  ) throws(SharedStorageError) -> Bool {
    defer { self.state.withLock { $0.isBehind = false } }
    let state = state.withLock { $0 }
    let isSaved = state.saved == content && state.migratedFrom == nil
    if isSaved, state.refusal != nil || state.isBroken { return false }
    if let refusal = state.refusal { throw refusal }
    let text = isSaved ? nil : try self.text(of: content, as: key, version: state.writingVersion)
    let base = isSaved ? state.base : text.map { SharedJournal.checksum($0) } ?? 0
    if state.ownsJournal, state.isMarked || (hasJournal && !isSaved) {
      try StoredFile.perform(host) { _ throws(SharedStorageError) in
        do throws(SharedStorageError) {
          try storage.append(SharedJournal.mark(base, number: state.writing), to: self.journal)
        } catch {
          // Without older changes the text needs no mark.
          if state.isMarked { throw error }
        }
      }
    }
    if !isSaved {
      try keepOldText(storage)
      if let text { try storage.replace(name, with: text) } else { try storage.remove(name) }
    }
    try StoredFile.perform(host) { values throws(SharedStorageError) in
      self.state.withLock { state in
        (state.saved, state.base) = (content, base)
        if !isSaved { (state.inFile, state.fileSize) = (content, text?.count ?? 0) }
      }
      try self.finish(values, storage)
    }
    return !isSaved
  }

  private static func perform(
    _ host: SharedSaver.Host,
    _ body: (Value.Object) throws(SharedStorageError) -> Void
  ) throws(SharedStorageError) {
    var result = Result<Void, SharedStorageError>.success(())
    host.whileNothingChanges { values in
      do throws(SharedStorageError) { try body(values) } catch { result = .failure(error) }
    }
    try result.get()
  }

  /// Keeps a text under another name that cannot be read, or that has an older version.
  private func keepOldText(_ storage: any SharedStorage) throws(SharedStorageError) {
    let (isBroken, version) = state.withLock { ($0.isBroken, $0.migratedFrom) }
    guard isBroken || version != nil, let old = try storage.read(name) else { return }
    if isBroken, let free = freeName("broken", storage) {
      // A copy, so that there is a file at each moment.
      try storage.replace(free, with: old)
      state.withLock { $0.isBroken = false }
    }
    if let version { try storage.replace("\(name).v\(version)", with: old) }
  }

  /// The file has its content.
  private func finish(
    _ values: Value.Object, _ storage: any SharedStorage
  ) throws(SharedStorageError) {
    state.withLock { state in
      if state.number == state.writing { state.journaled = state.inFile }
      state.isBroken = false
      // A reload may have migrated the value after the text was made of it.
      if state.writingVersion == state.version { state.migratedFrom = nil }
      state.isBehind = false
    }
    guard state.withLock({ $0.ownsJournal }) else { return }
    // What could not be written to the journal meanwhile. A default that the file does not have is no change.
    let content = self.content(of: values)
    if state.withLock({ $0.saved != content }) { journal(content, in: storage) }
    try storage.remove(oldJournal)
    guard state.withLock({ $0.number == $0.writing }) else { return }
    try storage.remove(journal)
    state.withLock { $0.isMarked = false }
  }

  /// The text of a content; nil for no file.
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

  /// The first name `NAME.kind-n` under which there is nothing; nil if there are too many.
  func freeName(_ kind: String, _ storage: any SharedStorage) -> String? {
    (1...1000).lazy.map { "\(self.name).\(kind)-\($0)" }.first {
      (try? storage.read($0)) == .some(nil)
    }
  }
}
