// Reloads the scripts of a host in all of its workers or in none.
//
//   lock ─▶ read texts ─▶ build ─▶ enter every worker ─▶ prepare ─▶ meet ─┬─ all agree ───▶ install
//                                                                         └─ one refuses ─▶ release
//
// 1. `reloadLock` admits one reload at a time.
// 2. Building happens outside of the workers, so actions continue meanwhile.
// 3. Each worker is entered by a thread of its own, so that no thread is ever inside two workers.
//    These threads wait for one another inside the workers, so that all stores switch at the same
//    moment.
// 4. A worker that cannot prepare refuses and leaves without waiting. A thread that cannot be
//    started refuses too. So the others never wait for it.

import Dispatch
import LuaBridge
import Synchronization

/// Reloads the scripts of a host. Its members may be used from any thread.
final class Reloader: Sendable {
  private let workers: [OwnedWorker]
  let root: ScriptRoot
  private let configuration: ScriptHost.Configuration
  /// Admits one reload at a time (invariant 1).
  private let reloadLock = DispatchSemaphore(value: 1)
  private let number = Atomic<Int>(0)
  private let lastExtraWatches = Mutex(ExtraWatches())

  init(_ workers: [OwnedWorker], root: ScriptRoot, configuration: ScriptHost.Configuration) {
    self.workers = workers
    self.root = root
    self.configuration = configuration
  }

  var generation: Int { number.load(ordering: .acquiring) }

  /// What has to be watched in addition to the files under the root that end in `.lua`.
  struct ExtraWatches: Sendable {
    /// The folders of loaded scripts outside of the root.
    var folders: Set<String> = []
    /// The paths of loaded scripts that do not end in `.lua`: the targets of symbolic links.
    var scripts: Set<String> = []
  }

  /// The additional folders and scripts as the last reload found them.
  var extraWatches: ExtraWatches { lastExtraWatches.withLock { $0 } }

  /// Reloads the scripts that changed, on the calling thread.
  ///
  /// - Parameters:
  ///   - start: when the reload was requested; for the report.
  ///   - takesEmptyTexts: whether a changed script may be empty. If not, and one is, nothing is
  ///     reloaded.
  /// - Returns: nil if nothing was reloaded because of an empty script.
  func reload(
    since start: ContinuousClock.Instant, takesEmptyTexts: Bool
  ) throws(ReloadError) -> ReloadReport? {
    guard !Worker.isInsideOne else {
      throw ReloadError(
        ScriptError(
          "a reducer, and a function that an effect calls and does not wait for, cannot reload: they run inside the "
            + "scripts that would be replaced; use an asynchronous function that awaits reload(), or a Task"
        ))
    }
    reloadLock.wait()
    defer { reloadLock.signal() }
    return try reloadLocked(since: start, takesEmptyTexts)
  }

  /// Reloads the scripts that changed, empty ones included.
  func reload(since start: ContinuousClock.Instant) throws(ReloadError) -> ReloadReport {
    if let report = try reload(since: start, takesEmptyTexts: true) { return report }
    throw ReloadError(ScriptError("nothing was reloaded"))
  }

  private func reloadLocked(
    since start: ContinuousClock.Instant, _ takesEmptyTexts: Bool
  ) throws(ReloadError) -> ReloadReport? {
    let loaded: [LoadedScripts]
    do throws(ScriptError) {
      loaded = try workers.map { (worker) throws(ScriptError) in
        try worker.worker.perform { engine in engine.loadedScripts }
      }
    } catch {
      throw ReloadError(error)
    }
    guard !loaded.contains(where: \.hasTests) else {
      throw ReloadError(
        ScriptError("this host has stores of tests, which keep the scripts that they began with"))
    }
    recordExtraWatches(of: loaded)
    let texts = ScriptTexts()
    let changes = ScriptChanges(in: loaded, texts, root: root)
    if changes.isEmpty { return report(WorkerReload(), changes, loaded, since: start) }
    if changes.hasEmptyText && !takesEmptyTexts { return nil }
    func refusal(_ errors: [ScriptError]) -> ReloadError {
      ReloadError(
        errors, changed: changes.changed.sorted(),
        textsHash: changes.textsHash(loaded, texts, root: root))
    }
    let builds: [GenerationBuild]
    do throws(ScriptError) {
      builds = try build(loaded, texts)
    } catch {
      throw refusal([error])
    }
    let errors = builds.flatMap(\.errors)
    guard errors.isEmpty else { throw refusal(errors) }
    switch switchAll(to: builds, affected: changes.affected) {
    case .failure(let error): throw refusal([error])
    case .success(let done):
      number.store(generation + 1, ordering: .releasing)
      return report(done, changes, loaded, since: start)
    }
  }

  private func recordExtraWatches(of loaded: [LoadedScripts]) {
    var extra = ExtraWatches()
    for path in loaded.flatMap(\.scripts.values).map(\.script.path) {
      if root.relativePath(of: path) == nil {
        extra.folders.insert(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
      }
      if !path.hasSuffix(".lua") { extra.scripts.insert(path) }
    }
    lastExtraWatches.withLock { $0 = extra }
  }

  private func build(
    _ loaded: [LoadedScripts], _ texts: ScriptTexts
  ) throws(ScriptError) -> [GenerationBuild] {
    var builds: [GenerationBuild] = []
    for loaded in loaded {
      let build = try GenerationBuild(
        generation + 1, of: loaded, texts, root: root, configuration: configuration)
      builds.append(build)
      // All workers load the same scripts, so the other builds would fail with the same errors.
      if !build.errors.isEmpty { break }
    }
    return builds
  }

  // MARK: Switching all workers

  /// Enters all workers and switches all of them to the new code, or none (invariants 3 and 4).
  private func switchAll(
    to builds: [GenerationBuild], affected: Set<String>
  ) -> Result<WorkerReload, ScriptError> {
    let barrier = ReloadBarrier(of: workers.count)
    let isOver = DispatchSemaphore(value: 0)
    let all = Outcome()
    for (worker, build) in zip(workers, builds).dropFirst() {
      let begin = { @Sendable in
        Reloader.enter(worker.worker, with: build, barrier, affected, all)
        _ = isOver.signal()
      }
      do throws(ScriptError) {
        try BlockingThread.run(begin)
      } catch {
        // The threads that wait inside their workers learn of it from the refusal.
        all.fail(error)
        barrier.refuse()
        isOver.signal()
      }
    }
    if let worker = workers.first, let build = builds.first {
      Reloader.enter(worker.worker, with: build, barrier, affected, all)
    }
    for _ in workers.dropFirst() { isOver.wait() }
    return all.result
  }

  private static func enter(
    _ worker: Worker, with build: GenerationBuild, _ barrier: ReloadBarrier,
    _ affected: Set<String>, _ outcome: Outcome
  ) {
    worker.performNext { engine in
      let prepared: PreparedReload
      do throws(ScriptError) {
        prepared = try engine.prepare(build)
      } catch {
        outcome.fail(error)
        barrier.refuse()
        return
      }
      guard barrier.agree() else { return prepared.release() }
      outcome.add(engine.install(prepared, affected: affected))
      engine.work()
    }
  }

  /// The results of all workers, merged.
  private final class Outcome: Sendable {
    private let outcome = Mutex<Result<WorkerReload, ScriptError>>(.success(WorkerReload()))

    var result: Result<WorkerReload, ScriptError> { outcome.withLock { $0 } }

    /// Only the first error counts.
    func fail(_ error: ScriptError) {
      outcome.withLock { if case .success = $0 { $0 = .failure(error) } }
    }

    func add(_ one: WorkerReload) {
      outcome.withLock { outcome in
        guard case .success(var all) = outcome else { return }
        all.stores += one.stores
        for migration in one.migrations { all.migrations.add(migration, countedBy: \.places) }
        for field in one.addedFields { all.addedFields.add(field, countedBy: \.places) }
        all.effects += one.effects
        all.warnings += one.warnings
        all.scripts.formUnion(one.scripts)
        outcome = .success(all)
      }
    }
  }

  private func report(
    _ done: WorkerReload, _ changes: ScriptChanges, _ loaded: [LoadedScripts],
    since start: ContinuousClock.Instant
  ) -> ReloadReport {
    let former = loaded.reduce(into: Set<String>()) { $0.formUnion($1.scripts.keys) }
    // A script that was missing when the changes were looked for may be there when it is loaded.
    let replaced = changes.removed.intersection(done.scripts)
    let removed = changes.removed.subtracting(replaced)
    let reloaded = changes.affected.union(done.scripts.subtracting(former)).subtracting(removed)
    return ReloadReport(
      generation: generation, changed: changes.changed.union(replaced).sorted(),
      reloaded: reloaded.sorted(), removed: removed.sorted(), stores: done.stores,
      migrations: done.migrations, addedFields: done.addedFields, effects: done.effects,
      warnings: done.warnings, duration: ContinuousClock.now - start)
  }
}

/// A barrier for threads that agree on something. One refusal makes all of them disagree.
final class ReloadBarrier: Sendable {
  private let missing = DispatchGroup()
  private let isRefused = Atomic<Bool>(false)

  init(of count: Int) { for _ in 0..<count { missing.enter() } }

  /// Waits for all others.
  ///
  /// - Returns: whether all agreed.
  func agree() -> Bool {
    missing.leave()
    missing.wait()
    return !isRefused.load(ordering: .acquiring)
  }

  /// Refuses, and does not wait for the others.
  func refuse() {
    isRefused.store(true, ordering: .releasing)
    missing.leave()
  }
}
