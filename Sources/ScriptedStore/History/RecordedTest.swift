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
  ///   from it. Nil to list the whole state.
  public func testSource(defaults: Value?) -> String {
    RecordedTest(self, defaults: defaults).source
  }
}

extension ScriptHost {
  /// ``Recording/testSource(defaults:)`` with the feature's initial state as this host loads it.
  ///
  /// - Throws: if the feature cannot be loaded.
  public func testSource(of recording: Recording) throws(ScriptError) -> String {
    let defaults = try perform { (engine) throws(ScriptError) in
      try engine.initialState(of: recording.feature)
    }
    return recording.testSource(defaults: defaults)
  }
}

/// Renders a recording as a test file with one test per segment.
struct RecordedTest {
  private let recording: Recording
  private let defaults: Value?
  /// The name of the Lua local that holds the feature.
  private let name: String

  init(_ recording: Recording, defaults: Value?) {
    self.recording = recording
    self.defaults = defaults
    name = Self.local(recording.feature)
  }

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
      var test = RecordedTestCase(segment, of: name)
      return test.source(title, defaults: defaults)
    }.joined(separator: "\n")
    var head = "local test = require \"scripted.test\"\n"
    if recording.jsonLines.contains("null") { head += "local null = require(\"scripted\").null\n" }
    head += "local \(name) = require \(LuaText.quoted(recording.feature))\n\n"
    return head + "describe(\"\(name)\", function()\n" + body + "end)\n"
  }

  /// A part of the recording in which each state follows from the one before.
  struct Segment {
    /// The number of the entry before.
    let after: Int
    /// The state before the first entry.
    let state: Value
    /// The features whose effects were in flight before. The test does not start these effects. It
    /// sends the actions of these features itself instead of receiving them.
    let featuresInFlight: Set<String>
    fileprivate(set) var entries: [HistoryEntry] = []
  }

  /// The parts of the recording. A state that a tool or a migration set begins the next part.
  private var segments: [Segment] {
    var running = Dictionary(
      recording.effects.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
    var all: [Segment] = []
    func begin(after number: Int, with state: Value) {
      let features = Set(running.values.compactMap(\.feature))
      all.append(Segment(after: number, state: state, featuresInFlight: features))
    }
    begin(after: recording.base, with: recording.initialState)
    for entry in recording.entries {
      defer {
        for note in entry.started { running[note.number] = note }
        for note in entry.ended { running[note.number] = nil }
      }
      if entry.source == .edit || entry.source == .shared {
        begin(after: entry.number, with: entry.state)
      } else if !entry.isSkipped {
        all[all.count - 1].entries.append(entry)
      }
      if let migrated = recording.migrations[entry.number] {
        begin(after: entry.number, with: migrated)
      }
    }
    let used = all.filter { !$0.entries.isEmpty }
    return used.isEmpty ? [all[0]] : used
  }
}
