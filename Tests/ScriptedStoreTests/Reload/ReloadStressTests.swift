import Foundation
import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// Reloads at random while threads send and effects run: no action is lost, none is run by half of a generation.
struct ReloadStressTests {
  /// Code of a version, which raises where it finds a state that is not of that.
  private static func app(_ version: Int) -> String {
    """
    local VERSION = \(version)
    local Row = scripted.feature {
      name = "Row", state = { n = 0, v = VERSION }, version = VERSION,
      migrate = function(state, from) assert(state.v == from, "row from") state.v = VERSION end,
      on = { up = function(state) assert(state.v == VERSION, "row") state.n = state.n + 1 end },
    }
    return scripted.feature {
      name = "App", version = VERSION, dependencies = { "clock" },
      state = {
        v = VERSION, count = 0, started = 0, done = 0,
        rows = { { id = 1, n = 0, v = VERSION }, { id = 2, n = 0, v = VERSION } },
      },
      migrate = function(state, from) assert(state.v == from, "from") state.v = VERSION end,
      on = {
        up = function(state) assert(state.v == VERSION, "up") state.count = state.count + 1 end,
        go = function(state, action)
          assert(state.v == VERSION, "go")
          state.started = state.started + 1
          local sleeps = action.value
          return effect.run(function(send, deps)
            for _ = 1, 3 do effect.yield() end
            if sleeps then deps.clock.sleep(0.001) end
            send("done", { from = VERSION })
          end)
        end,
        done = function(state, action)
          assert(state.v == VERSION and action.from <= VERSION, "done")
          state.done = state.done + 1
        end,
      },
    }:forEach("rows", Row)
    """
  }

  /// What the stores should have come to.
  private struct Model: Sendable {
    var count = 0
    var started = 0
    var rows = 0
  }

  private static let storeCount = 6

  @Test(arguments: [1, 3]) func nothingIsLostAndNothingIsRunByHalfAGeneration(
    _ workers: Int
  ) async throws {
    // A machine that is busy takes its time.
    let scripts = try Scripts(["app": Self.app(1)], workers: workers) {
      $0.limits.loadTime = .seconds(60)
    }
    let stores = try (0..<Self.storeCount).map { _ in try scripts.store() }
    let wrong = Recorder<String>()
    // What was sent and is not reduced yet.
    let backlog = Atomic<Int>(0)
    // Each change is what its action says, and versions never go back.
    let observations = stores.map { store in
      let last = Mutex(1)
      return store.onAction { record in
        if record.source == .input { backlog.subtract(1, ordering: .relaxed) }
        if let error = record.error { wrong.record("\(record.action.path): \(error)") }
        let version = record.after["v"].int ?? 0
        let former = last.withLock { last in
          defer { last = version }
          return last
        }
        if version < former { wrong.record("version \(version) after \(former)") }
        let field =
          switch record.action.path {
          case "up": "count"
          case "go": "started"
          case "done": "done"
          default: "v"
          }
        let step = field == "v" ? 0 : 1
        if record.after[field].int != (record.before[field].int ?? 0) + step {
          wrong.record("\(record.action.path) made \(field) \(record.after[field])")
        }
      }
    }
    let model = Mutex([Model](repeating: Model(), count: Self.storeCount))
    let isOver = Atomic<Bool>(false)
    let reloads = Mutex(0)
    await onOwnThread {
      let group = DispatchGroup()
      for thread in 0..<4 {
        group.enter()
        // Those of the pool are for the tasks that tests wait for.
        Thread.detachNewThread {
          defer { group.leave() }
          var random = SplitMix(seed: UInt64(thread + 1))
          while !isOver.load(ordering: .relaxed) {
            // Whoever is inside has to get to the end of it.
            guard backlog.load(ordering: .relaxed) < 100 else {
              Thread.sleep(forTimeInterval: 0.001)
              continue
            }
            backlog.add(1, ordering: .relaxed)
            let index = Int.random(in: 0..<Self.storeCount, using: &random)
            let kind = Int.random(in: 0..<4, using: &random)
            do {
              switch kind {
              case 0, 1: stores[index].send("up")
              case 2: try stores[index].send("go", .boolean(Bool.random(using: &random)))
              default: try stores[index].send("rows[\(Int.random(in: 1...2, using: &random))].up")
              }
            } catch { wrong.record("\(error)") }
            model.withLock { model in
              switch kind {
              case 0, 1: model[index].count += 1
              case 2: model[index].started += 1
              default: model[index].rows += 1
              }
            }
          }
        }
      }
      var random = SplitMix(seed: 99)
      for version in 2...40 {
        do {
          if Bool.random(using: &random) {
            try scripts.write("app", "return {")
            if scripts.refusal() == nil { wrong.record("half a script was taken") }
          }
          try scripts.write("app", Self.app(version))
          try scripts.host.reload()
          reloads.withLock { $0 += 1 }
          // From now on nobody runs older code.
          for store in stores where store.state["v"].int != version {
            wrong.record("version \(store.state["v"]) after the reload of \(version)")
          }
        } catch { wrong.record("\(error)") }
      }
      isOver.store(true, ordering: .relaxed)
      group.wait()
    }
    for store in stores { await store.finish() }
    for observation in observations { observation.cancel() }
    #expect(wrong.all.isEmpty, "\(wrong.all.prefix(5))")
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
    #expect(reloads.withLock { $0 } == 39 && scripts.host.generation == 39)
    for (store, model) in zip(stores, model.withLock { $0 }) {
      #expect(store.state["count"].int == model.count)
      #expect(store.state["started"].int == model.started)
      #expect(store.state["done"].int == model.started)
      let rows = store.state["rows"].array?.reduce(0) { $0 + ($1["n"].int ?? 0) }
      #expect(rows == model.rows)
      #expect(store.state["v"] == 40 && store.state["rows"][1]["v"] == 40)
      #expect(store.effects.isEmpty)
    }
  }

  @Test func aThousandEffectsInFlightOutliveAReload() throws {
    let clock = VirtualClock()
    let app = { (mark: String) in
      """
      return scripted.feature {
        name = "App", state = { old = 0, new = 0 }, dependencies = { "clock" },
        on = {
          go = function() return effect.run(function(send, deps) deps.clock.sleep(1) send("\(mark)") end) end,
          old = function(state) state.old = state.old + 1 end,
          new = function(state) state.new = state.new + 1 end,
        },
      }
      """
    }
    let scripts = try Scripts(["app": app("old")], clock: clock)
    let store = try scripts.store()
    for _ in 0..<1000 { store.send("go") }
    try scripts.write("app", app("new"))
    let report = try scripts.host.reload()
    #expect(report.effects.count == 1000)
    for _ in 0..<10 { store.send("go") }
    clock.advance(by: .seconds(1))
    #expect(store.state == ["old": 1000, "new": 10] && store.effects.isEmpty)
  }
}
