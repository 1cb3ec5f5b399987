import LuaBridge

extension Recording {
  /// Renders the recording as the source of a `_test.lua` file.
  ///
  /// The test sends the actions from outside, receives the actions of effects, and asserts the
  /// states. Doubles answer as the dependencies did. The test passes as long as the feature behaves
  /// as it did when it was recorded.
  ///
  /// Where a tool or a migration set the state, a further test begins with that state.
  ///
  /// - Parameter defaults: the feature's initial state: the test lists only the keys that differ
  ///   from it, and takes those away that the state does not have. Nil to list the whole state.
  public func testSource(defaults: Value?) -> String {
    ExportedTest(self, defaults: defaults).source
  }
}

extension ScriptHost {
  /// ``Recording/testSource(defaults:)`` with the feature's initial state as this host loads it.
  ///
  /// - Throws: if the feature cannot be loaded.
  public func testSource(of recording: Recording) throws(ScriptError) -> String {
    try test(of: recording, isExcerpt: false).source
  }

  /// The test of an action that differs (``DeployDifference/Kind/action(_:)``). It passes with the scripts that have made the
  /// recording, whatever initial state others have. Nil if no test can repeat the action, as one that took over several
  /// shared values.
  package func testSource(ofPart recording: Recording) throws(ScriptError) -> String? {
    let test = try test(of: recording, isExcerpt: true)
    return test.isEmpty ? nil : test.source
  }

  private func test(of recording: Recording, isExcerpt: Bool) throws(ScriptError) -> ExportedTest {
    let (defaults, surroundings) = try perform { (engine) throws(ScriptError) in
      (
        try engine.initialState(of: recording.feature),
        try engine.surroundings(ofTestsOf: recording)
      )
    }
    return ExportedTest(recording, defaults: defaults, surroundings, isExcerpt: isExcerpt)
  }
}

extension Engine {
  fileprivate func surroundings(
    ofTestsOf recording: Recording
  ) throws(ScriptError) -> ExportedTest.Surroundings {
    let walk = FeatureWalk([try current.feature(recording.feature).domain])
    var functions: [String] = []
    // Those of `log`, and of what comes with each store, are not recorded.
    let names = Set(walk.features.flatMap(\.feature.declared.names))
    for name in names.subtracting(DependencyRegistry.nativeNames.union(["log"])).sorted() {
      guard let binding = try? current.dependencies.binding(of: name) else { continue }
      functions += binding.functionNames(at: name)
    }
    return .init(sharedFields: walk.fields, functions: functions)
  }
}

/// Renders a recording as a test file with one test per segment.
struct ExportedTest {
  /// What a test has to know of the feature besides what was recorded.
  struct Surroundings {
    /// The paths of the state's fields that show shared values.
    var sharedFields: [String] = []
    /// The functions of dependencies that effects may call, by their paths in `deps`.
    var functions: [String] = []
  }

  private let recording: Recording
  private let defaults: Value?
  private let surroundings: Surroundings
  /// Whether the recording is a part of a longer one, and the test is to pass with scripts of another initial state, too.
  private let isExcerpt: Bool
  /// The name of the Lua local that holds the feature.
  private let name: String

  init(
    _ recording: Recording, defaults: Value?, _ surroundings: Surroundings = Surroundings(),
    isExcerpt: Bool = false
  ) {
    self.recording = recording
    self.defaults = defaults
    self.surroundings = surroundings
    self.isExcerpt = isExcerpt
    name = Self.local(recording.feature)
  }

  /// Whether the test would assert nothing.
  var isEmpty: Bool { segments.allSatisfy { $0.entries.allSatisfy(\.isSkipped) } }

  /// The name of a module's local: `TwoCounters` for `case_studies.two_counters`.
  private static func local(_ module: String) -> String {
    let last = module.split(whereSeparator: { $0 == "." || $0 == "/" }).last { $0 != "lua" } ?? ""
    let words = last.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
    let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    return name.first?.isLetter == true ? name : "Feature"
  }

  var source: String {
    let body = segments.enumerated().map { index, segment in
      let title = index == 0 ? "does what was recorded" : "goes on from entry \(segment.after)"
      var test = ExportedTestCase(segment, of: name, callable: surroundings.functions)
      return test.source(title, defaults: defaults, listsAll: isExcerpt)
    }.joined(separator: "\n")
    var head = "local test = require \"scripted.test\"\n"
    // Only outside of strings. Most tests do not have the word at all, which is found out fast.
    if body.utf8.contains("null".utf8),
      body.matches(of: /"(?:[^"\\]|\\.)*"|\bnull\b/).contains(where: { $0.output == "null" })
    {
      head += "local null = require(\"scripted\").null\n"
    }
    head += "local \(name) = require \(LuaText.quoted(recording.feature))\n\n"
    return head + "describe(\"\(name)\", function()\n" + body + "end)\n"
  }

  /// A stretch of the recording in which each state follows from the one before.
  struct Segment {
    let after: Int
    /// The state before the first entry.
    let state: Value
    /// Whether it is of a durable store.
    let isDurable: Bool
    /// The numbers of the effects that were in flight before. The test does not start them, and sends
    /// their actions itself instead of receiving them.
    let effectsBefore: Set<Int>
    /// The entries, also those that are skipped: effects may have got answers then.
    var entries: [HistoryEntry] = []
    /// Whether the next segment, or what the store went back from, followed. So effects may have sent more than the
    /// entries say.
    var isCut = false
    /// What the test gives shared values before it receives an entry that is a step, by the numbers of the entries.
    var givenValues: [Int: GivenValue] = [:]
    /// How the test gets the entries, by their numbers.
    var causes: [Int: Cause] = [:]
    /// Whether the test starts effects or sets alarms, so that it matters what time it is, or may get what follows from it.
    var hasEffects = false
    /// The numbers of the entries that alarms have sent, and whether the test sets the alarm.
    var rings: [Int: Bool] = [:]

    /// Whether a handler of an entry got another value of a dependency than handlers have got before: a test gives one.
    func contradicts(_ entry: HistoryEntry) -> Bool {
      entry.reads.contains { read in
        guard case .field = read.source else { return false }
        let first = entries.lazy.flatMap(\.reads).first { $0.source == read.source }
        return first.map { $0.answer != read.answer } ?? false
      }
    }
  }

  /// How a test gets an entry.
  struct Cause {
    /// Whether it receives the action, because an effect or alarm of its own sends it, or the reducer of an action before.
    let isReceived: Bool
    /// The nanoseconds that it lets pass before.
    let wait: Int
  }

  /// A shared value that changed elsewhere.
  struct GivenValue {
    /// The path of a field that shows it.
    let field: String
    /// Nil if it was removed.
    let value: Value?
  }

  /// What the one shared value has become that a step took over; nil if it took several over, or shows none where a
  /// test can name it.
  func givenValue(by entry: HistoryEntry, from segment: Segment) -> GivenValue? {
    guard entry.source == .shared, entry.action.value["keys"].array?.count == 1 else { return nil }
    let before = segment.entries.last?.state ?? segment.state
    for field in surroundings.sharedFields {
      let path = field.splitAtDots().map { Value.string($0) }
      let value = entry.state.part(at: path[...])
      if value != before.part(at: path[...]) { return GivenValue(field: field, value: value) }
    }
    return nil
  }

  /// The segments of the recording. A state that a tool or a migration set, or that the store went to, begins the next one,
  /// and so does a step that a test cannot repeat, a skipped action of an effect or with effects or alarms, and an entry whose
  /// effects are not those that its test starts.
  private var segments: [Segment] {
    var built = ExportedSegments(recording)
    for entry in recording.entries {
      let given = givenValue(by: entry, from: built.current)
      let isTool = entry.source == .edit || entry.source == .shared && given == nil
      if isTool { built.take(entry.alarmChanges) } else { built.add(entry, given) }
      built.take(entry.started, entry.ended, after: entry.action.path)
      // The test does not start or end the effects of an action that it leaves out, nor set its alarms, and its own effects send
      // again what the store has left out.
      let leavesOut =
        entry.isSkipped
        && (entry.source == .effect || !entry.started.isEmpty || !entry.ended.isEmpty
          || entry.alarms != nil)
      // An error of an effect comes while the test lets something happen. After the last action it does not.
      let failsLater = entry.failures.contains { !$0.isAtOnce }
      let isJump = recording.jumps.contains(entry.number)
      if isTool || leavesOut || failsLater || isJump || entry.hasOtherEffects
        || built.endsDurable(with: entry)
      {
        built.begin(after: entry.number, with: entry.state)
      }
      if let migrated = recording.migrations[entry.number] {
        built.begin(after: entry.number, with: migrated)
      }
    }
    if isExcerpt { built.current.isCut = true }
    let used = built.all.filter { $0.entries.contains { !$0.isSkipped } }
    return used.isEmpty ? [built.all[0]] : used
  }
}

extension HistoryEntry {
  /// The effects that an error has ended since the action, and whether that came in the turn of the action.
  var failures: [(note: EffectNote, isAtOnce: Bool)] {
    ended.compactMap { note in
      note.failure.map { (note, $0.time - time < .milliseconds(1)) }
    }
  }
}
