import ArgumentParser
import Platform
import RunnerShared
import ScriptValue
import ScriptedStore

/// What `runner stores` does with a journal.
enum StoresVerb: String, ExpressibleByArgument, CaseIterable {
  case list
  case show
  case log
  case export
  case verify
  case backup
  case compact
  case remove

  /// What stands behind it; nil for nothing.
  var operand: String? {
    switch self {
    case .show, .log, .export, .remove: "NAME, as room/r17"
    case .backup: "FILE, which is made"
    case .list, .verify, .compact: nil
    }
  }

  var takesNumber: Bool { self == .show || self == .export }
  var hasJSON: Bool { [.list, .show, .log, .verify].contains(self) }
}

struct Stores: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stores",
    abstract: "Look at durable stores, and keep their journal.",
    discussion: """
      runner stores rooms.db                        names, records, sizes, times
      runner stores rooms.db show room/r17 --at 9   the state after record 9
      runner stores rooms.db log room/r17           the records
      runner stores rooms.db export room/r17        as of runner run --record
      runner stores rooms.db verify                 is all as it was written?
      runner stores rooms.db backup copy.db
      runner stores rooms.db compact                drops records before snapshots
      runner stores rooms.db remove room/r17

      compact and remove need a journal that no program uses; the others only read.

      Exit status: 0; 1 when verify finds something; 64 for wrong usage; 65 when the file is no \
      journal, or too damaged to be read; 66 when it, or the store, is missing, or when it is in use; 73 when the file of the \
      backup exists; 74 when reading or writing fails.
      """)

  @Argument(help: ArgumentHelp("The file of the journal.", valueName: "file"))
  var file: String

  @Argument(help: "list, show, log, export, verify, backup, compact or remove.")
  var verb = StoresVerb.list

  @Argument(
    help: ArgumentHelp(
      "The store, as room/r17; for backup the file to make.", valueName: "name"))
  var operand: String?

  @Option(
    // A negative number is refused with those that there are.
    parsing: .unconditional,
    help: ArgumentHelp(
      "show, export: as it was after this record. (default: the last one)", valueName: "number"))
  var at: Int?

  @Flag(help: "list, show, log, verify: JSON, an object a line.")
  var json = false

  func validate() throws {
    if RunnerParts.ofProgram.journals == nil { throw ValidationError(Self.isMissing) }
    if let expected = verb.operand, operand == nil {
      throw ValidationError("\(verb) needs a \(expected): runner stores \(file) \(verb) …")
    }
    if verb.operand == nil, let operand {
      throw ValidationError("\(verb) is for the whole journal; leave '\(operand)' out")
    }
    if at != nil, !verb.takesNumber {
      throw ValidationError("--at is for show and export; leave it out, or use one of these")
    }
    if json, !verb.hasJSON {
      throw ValidationError("\(verb) has no --json; it is for list, show, log and verify")
    }
  }

  private static let isMissing =
    "this runner was built without journals, as `make run` does; `make build` builds it with them"

  func run() throws {
    guard let journals = RunnerParts.ofProgram.journals else {
      throw fail(.usage, "\(Self.isMissing)")
    }
    switch verb {
    case .list: try list(journals.reader(of: file))
    case .show: try show(journals.reader(of: file))
    case .log: try log(journals.reader(of: file))
    case .export: try export(journals.reader(of: file))
    case .verify: try verify(journals.reader(of: file, isVerifying: true))
    case .backup: try backup(journals.reader(of: file))
    case .compact: try compact(journals)
    case .remove: try remove(journals)
    }
  }

  private func list(_ reader: any JournalReading) throws {
    let list = StoreList(
      stores: try exitingOnJournalError { () throws(JournalError) in try reader.stores(of: nil) })
    try StandardStreams.output(json ? list.json : list.text.bytes)
  }

  // MARK: One store

  private func show(_ reader: any JournalReading) throws {
    let name = try name()
    var state = RecordedState(name)
    if at != nil {
      try history(reader, name) { line in
        state.add(line)
        return state.failure == nil
      }
    } else {
      let stored = try exitingOnJournalError { () throws(JournalError) in try reader.stored(name) }
      guard let stored else { throw missing(name, reader) }
      state.add(.snapshot(stored.snapshot))
      for record in stored.records { state.add(.record(record)) }
    }
    if let failure = state.failure { throw fail(.dataError, "\(file): \(failure)") }
    if json {
      try StandardStreams.output(TerminalJSON.line(state.value))
    } else {
      try StandardStreams.output("\(LuaLayout().text(of: state.value))\n")
    }
  }

  private func log(_ reader: any JournalReading) throws {
    let log = RecordLog(.output)
    try write(reader) { line in
      if json { return RecordLog.json(line.text) }
      return switch line {
      case .snapshot(let snapshot): log.text(of: snapshot).bytes
      case .record(let record): log.text(of: record).bytes
      }
    }
  }

  private func export(_ reader: any JournalReading) throws {
    try write(reader) { RecordLog.json($0.text) }
  }

  /// Writes the lines of a store up to `--at`.
  private func write(_ reader: any JournalReading, _ text: (JournalLine) -> [UInt8]) throws {
    let name = try name()
    var output = DescriptorWriter(STDOUT_FILENO)
    try history(reader, name) { line in
      output.write(text(line))
      return output.failure == nil
    }
    if let status = output.reportFailure() { throw status }
  }

  /// Reads the lines of a store up to `--at`, or until `body` returns false.
  private func history(
    _ reader: any JournalReading, _ name: StoreName, _ body: (JournalLine) -> Bool
  ) throws {
    var (first, last) = (0, 0)
    var (isRefused, isStopped) = (false, false)
    let isThere = try exitingOnJournalError { () throws(JournalError) in
      try reader.read(name) { line in
        last = line.number
        if case .snapshot = line {
          first = last
          isRefused = (at ?? first) < first
        }
        isStopped = isRefused || !body(line)
        return !isStopped && last != at
      }
    }
    guard isThere else { throw missing(name, reader) }
    if isRefused {
      throw fail(
        .noInput,
        "\(file) has \(name) from record \(first) on, with the snapshot before it; --at takes no number below \(first)"
      )
    }
    if let at, last < at, !isStopped {
      throw fail(
        .noInput, "the last record of \(name) in \(file) is \(last); --at takes \(first) to \(last)"
      )
    }
  }

  private func name() throws -> StoreName {
    do throws(JournalError) {
      return try StoreName(operand ?? "")
    } catch {
      throw fail(.usage, "\(error.message)")
    }
  }

  private func missing(_ name: StoreName, _ reader: any JournalReading) -> ExitCode {
    let names = (try? reader.stores(of: nil).map(\.name.description)) ?? []
    guard let nearest = Suggestion.nearest(to: "\(name)", in: names) else {
      return fail(
        .noInput, "\(file) has no store \(name); `runner stores \(file)` lists those it has")
    }
    return fail(.noInput, "\(file) has no store \(name); did you mean \(nearest)?")
  }

  // MARK: The journal

  private func verify(_ reader: any JournalReading) throws {
    let found = try exitingOnJournalError(isVerifying: true) { () throws(JournalError) in
      try reader.verify()
    }
    let style = TextStyle.output
    let stores = count(found.stores, "store")
    let records = count(found.records, "record")
    if json {
      let faults = found.faults.map { fault in
        var object: Value.Object = ["message": .string(fault.message)]
        object["store"] = fault.store.map { .string($0) }
        return Value.object(object)
      }
      try StandardStreams.output(
        TerminalJSON.line([
          "stores": Value(found.stores), "records": Value(found.records),
          "faults": .array(Value.List(faults)),
        ]))
    } else if found.faults.isEmpty {
      try StandardStreams.output("\(style.green("as written"))  \(stores), \(records)\n")
    } else {
      let lines = found.faults.map { fault in "\(style.red("\(fault)"))\n" as TerminalText }
      try StandardStreams.output(lines.joined())
    }
    guard !found.faults.isEmpty else { return }
    let faults = count(found.faults.count, "fault")
    throw fail(
      .failure,
      "\(file) is not as it was written: \(faults) in \(stores) and \(records); keep a copy of the file, and restore a backup"
    )
  }

  private func backup(_ reader: any JournalReading) throws {
    let copy = operand ?? ""
    guard access(copy, F_OK) != 0 else {
      throw fail(.cannotCreate, "\(copy) exists; name a file that does not")
    }
    try exitingOnJournalError { () throws(JournalError) in
      do throws(JournalError) {
        try reader.backup(to: copy)
      } catch {
        // The backup is written into a file with this suffix first. The message names the file that the command was given.
        throw JournalError(
          error.code, error.message.replacing("\(copy).partial cannot", with: "\(copy) cannot"))
      }
    }
    StandardStreams.error("wrote \(copy)")
  }

  private func compact(_ journals: RunnerParts.Journals) throws {
    // Nothing is made of a file that is no journal.
    _ = try journals.reader(of: file)
    let before = size
    try owning(journals) { (storage) throws(JournalError) in try storage.compact() }
    StandardStreams.error("\(file) has \(byteText(size)), and had \(byteText(before))")
  }

  private func remove(_ journals: RunnerParts.Journals) throws {
    let info = try info(journals.reader(of: file))
    try owning(journals) { (storage) throws(JournalError) in try storage.remove(info.name) }
    StandardStreams.error("removed \(info.name) with \(count(info.records, "record"))")
  }

  private func info(_ reader: any JournalReading) throws -> DurableStoreInfo {
    let name = try name()
    let known = try exitingOnJournalError { () throws(JournalError) in
      try reader.stores(of: name.feature)
    }
    guard let info = known.first(where: { $0.name == name }) else { throw missing(name, reader) }
    return info
  }

  /// Calls `body` as the owner of the journal.
  private func owning(
    _ journals: RunnerParts.Journals,
    _ body: (any JournalStorage) throws(JournalError) -> Void
  ) throws {
    let storage = journals.journal(file).makeStorage()
    try exitingOnJournalError { () throws(JournalError) in
      try storage.open()
      defer { storage.close() }
      try body(storage)
    }
  }

  /// The bytes of the journal's file and its log.
  private var size: Int {
    [file, "\(file)-wal"].reduce(0) { sum, path in
      var status = stat()
      return stat(path, &status) == 0 ? sum + Int(status.st_size) : sum
    }
  }
}
