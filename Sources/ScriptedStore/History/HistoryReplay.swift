import LuaBridge

/// Reduces entries of a history again, one after another. The store does not change.
struct HistoryReplay {
  struct Reduction {
    let state: Value
    let reads: [DependencyRead]
    let warnings: [RuntimeWarning]
    var error: ScriptError?
    /// Whether the reducers have returned effects, which a replay drops.
    var hasEffects = false
    /// False if nothing takes the action any more; `error` then says why.
    var isTaken = true

    /// What differs from a recorded entry; nil if nothing does.
    ///
    /// - Parameter expected: the state that the entry is to lead to.
    func difference(from entry: HistoryEntry, to expected: Value) -> ReplayDifference? {
      if expected == state && entry.error?.message == error?.message { return nil }
      return ReplayDifference(
        number: entry.number, action: entry.action, source: entry.source, feature: entry.feature,
        expected: expected, actual: state, expectedError: entry.error, actualError: error,
        isTaken: isTaken)
    }
  }

  private let core: StoreCore
  private let recorder: DependencyRecorder
  private let engine: Engine
  /// Separate from the store's indexes, which belong to its current state.
  private let indexes = ElementIndexes()

  init(_ core: StoreCore, _ recorder: DependencyRecorder, _ engine: Engine) {
    self.core = core
    self.recorder = recorder
    self.engine = engine
  }

  /// Replays on a store that was made for it: its handlers ask the recorder from now on.
  ///
  /// - Parameter core: a store that is used for this replay alone, because its dependencies are replaced for ever.
  init(apart core: StoreCore, _ engine: Engine) {
    let recorder = DependencyRecorder()
    core.dependencies = core.dependencies.recording(by: recorder)
    self.init(core, recorder, engine)
  }

  /// Replays one entry on the state `before`.
  ///
  /// - Parameter stepped: the state in which a step that took over shared values ended; nil for the recorded one.
  func reduce(
    _ entry: HistoryEntry, from before: Value, steppedTo stepped: Value? = .none
  ) -> Reduction {
    if entry.isSkipped {
      return Reduction(state: before, reads: entry.reads, warnings: [], error: nil)
    }
    // An edit has no action to reduce. The tool's state stays.
    if entry.source == .edit {
      return Reduction(state: entry.state, reads: [], warnings: [], error: nil)
    }
    let context = engine.context
    let print = context.print
    context.print = nil
    context.recorder = recorder
    recorder.begin(serving: entry.reads)
    let old = before.ownedSlot()
    defer {
      old.release()
      context.recorder = nil
      context.print = print
    }
    var (state, hasEffects) = (before, false)
    var failure: ScriptError?
    do throws(ScriptError) {
      let reduced = try core.reduce(
        entry.action, from: old,
        steppedTo: entry.source == .shared ? stepped ?? entry.state : .none,
        indexes, engine)
      (state, hasEffects) = (Value(owning: reduced.new), reduced.hasEffects)
    } catch {
      failure = error
    }
    return Reduction(
      state: state, reads: recorder.end(), warnings: context.takeWarnings(), error: failure,
      hasEffects: hasEffects)
  }
}

/// The result of a replay.
public struct ReplayReport: Sendable {
  /// How many entries were replayed, skipped ones and edits included.
  public internal(set) var count = 0
  /// The first entry whose state or error differs from the recorded one.
  public internal(set) var difference: ReplayDifference?

  mutating func add(_ entry: HistoryEntry, _ result: HistoryReplay.Reduction) {
    count += 1
    difference = difference ?? result.difference(from: entry, to: entry.state)
  }
}

/// An entry that a replay reduced to another state or error.
public struct ReplayDifference: Sendable {
  public let number: Int
  public let action: Action
  public let source: ActionRecord.Source
  /// The feature whose effect sent the action; nil for an action from outside.
  public let feature: String?
  /// The recorded state.
  public let expected: Value
  /// The state that the replay made.
  public let actual: Value
  /// The recorded error; nil if nothing was raised.
  public let expectedError: ScriptError?
  /// The error that the replay raised, or why nothing took the action; nil if nothing was raised.
  public let actualError: ScriptError?
  fileprivate(set) var isTaken = true
}

extension ReplayDifference: CustomStringConvertible {
  /// The entry, the errors if they differ, and the difference between the states in Lua syntax.
  public var description: String {
    guard let difference = LuaDiff().text(from: expected, to: actual) else { return heading }
    return "\(heading)\n\n\(difference)"
  }

  /// The description without the difference between the states.
  package var heading: String {
    var text = "entry \(number), \(action)"
    if let feature { text += " (from an effect of \(feature))" }
    if let actualError, !isTaken {
      text +=
        "\n\n- \(expectedError == nil ? "taken" : Self.text(expectedError))\n+ not taken: \(actualError)"
    } else if expectedError?.message != actualError?.message {
      text += "\n\n- \(Self.text(expectedError))\n+ \(Self.text(actualError))"
    }
    return text
  }

  private static func text(_ error: ScriptError?) -> String {
    error.map { "raised: \($0)" } ?? "raised nothing"
  }
}
