import LuaBridge

/// Reduces entries of a history again, one after another. The store does not change.
struct HistoryReplay {
  struct Reduction {
    let state: Value
    let reads: [DependencyRead]
    let warnings: [RuntimeWarning]
    let error: ScriptError?
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

  /// Replays one entry on the state `before`.
  ///
  /// - Parameter stepped: the state in which a step that took over shared values ended; null for the recorded one.
  func reduce(
    _ entry: HistoryEntry, from before: Value, steppedTo stepped: Value = .null
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
    var state = before
    var failure: ScriptError?
    do throws(ScriptError) {
      state = Value(
        owning: try core.reduce(
          entry.action, from: old,
          steppedTo: entry.source == .shared ? stepped.isNull ? entry.state : stepped : .none,
          indexes, engine))
    } catch {
      failure = error
    }
    return Reduction(
      state: state, reads: recorder.end(), warnings: context.takeWarnings(), error: failure)
  }
}
