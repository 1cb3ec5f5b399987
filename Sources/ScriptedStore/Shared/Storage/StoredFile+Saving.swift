import LuaBridge

// How what actions have changed comes to the disk, and what other programs have changed from there.
extension StoredFile {
  // MARK: The journal

  /// Appends a line to the journal, if an action has changed a value of the file. Called before the new values can be read.
  /// Returns whether it has changed one.
  func append(from old: Value.Object, to new: Value.Object) -> Bool {
    let isChanged = state.withLock { state in
      state.parts.contains { old[$0.key] != new[$0.key] }
    }
    if isChanged { append(new) }
    return isChanged
  }

  /// Appends what the journal may lack of the values, and returns whether the file lacks something of them. A default that the
  /// file does not have is no change. Called while no action changes the values.
  func appendUnsaved(_ values: Value.Object) -> Bool {
    let isUnsaved = state.withLock { $0.saved != $0.content(of: values) }
    if isUnsaved { append(values) }
    return isUnsaved
  }

  /// Appends the change that leads from what the file and its journals make to these values, if it can go to the journal.
  /// Called while no action changes the values.
  private func append(_ values: Value.Object) {
    guard hasJournal else { return }
    let line: (text: [UInt8], content: Value?, number: UInt64)? = state.withLock { state in
      let content = state.content(of: values)
      guard state.takesChanges, state.journal.value != content else { return nil }
      let number = state.journal.number &+ 1
      let mark =
        state.journal.isMarked
        ? [] : SharedJournal.mark(state.text.checksum, number: state.journal.number)
      let change = SharedJournal.change(
        from: state.journal.value, to: content, number: number, version: state.version)
      return (mark + change, content, number)
    }
    guard let line else { return }
    do throws(SharedStorageError) {
      try storage.append(line.text, to: journal)
      state.withLock { state in
        state.journal = State.Journal(
          value: line.content, number: line.number, isMarked: true,
          size: state.journal.size + line.text.count)
      }
      if withstandsPowerFailure { try storage.synchronize(journal) }
    } catch {
      // The disk is full, or the like. If the line is not there, the next one has this change too. The file is
      // written soon, and the failure of that is told.
    }
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

  // MARK: Taking over

  /// Reads the file again, and takes over what another program has made of it since it was read or written here. What cannot
  /// be read leaves the values as they are.
  ///
  /// - Parameter key: whose functions read the text, if the file has a script's format.
  func takeOver(_ values: SharedValues, as key: SharedKey?) -> LoadedText {
    var loaded = read(as: key)
    // What the journals have is in our values, unless these were never read.
    if state.withLock(\.isUnread) { loaded = recovered(loaded) }
    state.withLock { $0.take(&loaded) }
    guard loaded.failure == nil else { return loaded }
    values.alone { current in
      var new = current.values
      merge(&loaded, into: &new, values)
      if new != current.values { current.values = new }
    }
    return loaded
  }

  /// Lays what has changed here over what another program has written. Called while no action changes
  /// the values.
  ///
  /// - Parameters:
  ///   - loaded: gets the name of the file that has what did not fit.
  ///   - new: gets the new values.
  private func merge(
    _ loaded: inout LoadedText, into new: inout Value.Object, _ values: SharedValues
  ) {
    let (ours, base, isMarked) = state.withLock { state in
      // A program that removes the file also removes the changes that were not written yet.
      let isRemoved = loaded.isMissing && state.text.value != nil
      let ours = isRemoved ? state.saved : state.content(of: new)
      return (ours, state.saved, state.journal.isMarked)
    }
    let merge = ValueMerge(ours: ours, theirs: loaded.value, base: base)
    if merge.hasConflict, loaded.value != nil, let free = try? freeName("conflict"),
      (try? storage.replace(free, with: loaded.text)) != nil
    {
      loaded.kept = free
    }
    state.withLock { state in
      (state.text.checksum, state.text.value) = (loaded.checksum, loaded.inFile)
      state.journal.value = loaded.value
      for part in state.parts {
        let value = part.field.map { merge.value?.object?[$0] } ?? merge.value
        // The default takes the place of a value that is no longer there.
        new[part.key] = value ?? values.declaration(of: part.key)?.value ?? new[part.key]
      }
      if let object = merge.value?.object, state.parts.contains(where: { $0.field != nil }) {
        state.rest = object
        for part in state.parts {
          if let field = part.field { state.rest[field] = nil }
        }
      }
      // A default that takes the place of a removed value is not written.
      state.saved = merge.value == loaded.inFile ? state.content(of: new) : loaded.inFile
    }
    // What the journals have is in our values.
    if isMarked && !loaded.isRecovered { markText() }
    if merge.value != loaded.value { append(new) }
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
  /// - Parameter key: whose functions make the text, if the file has a script's format.
  func write(_ values: SharedValues, as key: SharedKey?) throws(SharedStorageError) -> Bool {
    let (begun, content) = try values.holding { beginWrite(of: $0) }
    let isSaved = begun.saved == content && begun.migratedFrom == nil
    if isSaved, begun.refusal != nil || begun.isBroken { return false }
    if let refusal = begun.refusal { throw refusal }
    let text: [UInt8]? =
      if !isSaved, let content {
        try format.text(of: VersionedValue(value: content, version: begun.version), as: key)
      } else {
        nil
      }
    let checksum = isSaved ? begun.text.checksum : text.map { SharedJournal.checksum($0) } ?? 0
    if begun.ownsJournal, begun.journal.isMarked || (hasJournal && !isSaved) {
      try values.holding { _ throws(SharedStorageError) in
        do throws(SharedStorageError) {
          let mark = SharedJournal.mark(checksum, number: begun.journal.number)
          try storage.append(mark, to: journal)
        } catch {
          // Without older changes the text needs no mark.
          if begun.journal.isMarked { throw error }
        }
      }
    }
    if !isSaved {
      try keepOldText()
      if let text { try storage.replace(name, with: text) } else { try storage.remove(name) }
    }
    try values.holding { values throws(SharedStorageError) in
      state.withLock { state in
        state.saved = content
        if !isSaved {
          state.text = State.Text(
            value: content, checksum: checksum, size: text?.count ?? 0,
            use: state.isBroken ? .usable : state.text.use)
        }
        if state.journal.number == begun.journal.number { state.journal.value = state.text.value }
        // A reload may have migrated the value since the text was made.
        if state.version == begun.version { state.migratedFrom = nil }
        state.saving = .running(isAhead: false)
      }
      _ = appendUnsaved(values)
      guard begun.ownsJournal else { return }
      try storage.remove(oldJournal)
      guard state.withLock(\.journal.number) == begun.journal.number else { return }
      try storage.remove(journal)
      state.withLock { $0.journal.isMarked = false }
    }
    return !isSaved
  }

  /// Sets the journal aside. Returns what is known of the file now, and what it is to contain; nil for no file. Called while
  /// no action changes the values.
  private func beginWrite(of values: Value.Object) -> (begun: State, content: Value?) {
    _ = appendUnsaved(values)
    if state.withLock(\.ownsJournal) { setJournalAside() }
    return state.withLock { state in
      let content = state.content(of: values)
      let isAhead =
        state.takesChanges && state.saved != content && state.journal.value != content
      state.saving = .running(isAhead: isAhead)
      return (state, content)
    }
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
}

extension StoredFile.State {
  /// The file was read again. A text of another version is a failure, and so is the one that keys have refused.
  fileprivate mutating func take(_ loaded: inout LoadedText) {
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
}
