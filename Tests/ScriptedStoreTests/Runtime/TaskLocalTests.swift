import LuaBridge
import ScriptedStore
import Synchronization
import Testing

private enum Sender {
  @TaskLocal static var name: String?
}

/// What an action causes has the task-local values of its sender, whichever thread runs it.
struct TaskLocalTests {
  /// A host whose actions carry the name of their sender, which each function and handler compares with the task-local value.
  private final class App: Sendable {
    let scripts: Scripts
    let wrong: Recorder<String>
    let seen: Recorder<String>

    init() throws {
      let (wrong, seen) = (Recorder<String>(), Recorder<String>())
      @Sendable func check(_ place: String, _ name: String?) {
        seen.record(place)
        if Sender.name != name {
          wrong.record("\(place) of \(name ?? "?") saw \(Sender.name ?? "nothing")")
        }
      }
      var dependencies = Dependencies()
      dependencies.register(
        "api",
        live: .client([
          "note": .function("place", "name") { (place: String, name: String) in check(place, name)
          },
          "save": .asyncFunction("name") { (name: String) async in
            check("save", name)
            await Task.yield()
            check("saved", name)
          },
        ]))
      scripts = try Scripts(
        [
          "app": """
          return scripted.feature {
            name = "App", dependencies = { "api", "clock" }, state = { n = 0 },
            on = {
              save = function(state, action, deps)
                deps.api.note("handler", action.value)
                state.name = action.value
                return effect.run(function(send, deps)
                  deps.api.note("body", action.value)
                  deps.api.save(action.value)
                  deps.api.note("body, later", action.value)
                  deps.api.save(action.value)
                  deps.clock.sleep(0.0001)
                  deps.api.note("body, after a time", action.value)
                  deps.api.save(action.value)
                  send("saved", action.value)
                end)
              end,
              saved = function(state, action, deps)
                deps.api.note("handler of an effect's action", action.value)
                state.n = state.n + 1
              end,
              fail = function(_, action) error(action.value, 0) end,
              typo = function(_, action) return effect.run(function() error(action.value, 0) end) end,
            },
          }
          """
        ], dependencies: dependencies
      ) { configuration in
        configuration.onError = { error, action in check("onError", action.value["value"].string) }
        configuration.onWarning = { warning in
          check("onWarning", warning.message.split(separator: " ").last.map(String.init))
        }
      }
      self.wrong = wrong
      self.seen = seen
    }

    /// A store whose handlers compare, too.
    func store() throws -> (store: Store, observations: [StoreObservation]) {
      let store = try scripts.store()
      let (wrong, seen) = (wrong, seen)
      @Sendable func check(_ place: String, _ name: String?) {
        seen.record(place)
        if Sender.name != name {
          wrong.record("\(place) of \(name ?? "?") saw \(Sender.name ?? "nothing")")
        }
      }
      return (
        store,
        [
          store.observe("name") { check("observer", $0.string) },
          store.onAction { check("onAction", $0.action.value["value"].string) },
        ]
      )
    }
  }

  @Test func eightTasksWithAStoreEach() async throws {
    let app = try App()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        let (store, observations) = try app.store()
        group.addTask {
          for turn in 0..<25 {
            let name = "task\(task).\(turn)"
            try await Sender.$name.withValue(name) {
              try await store.send("save", .string(name)).finish()
              try store.send("fail", .string(name))
            }
          }
          for observation in observations { observation.cancel() }
          #expect(store.state["n"] == 25)
        }
      }
      try await group.waitForAll()
    }
    #expect(app.wrong.all == [])
    #expect(app.scripts.warnings.isEmpty)
    let saved = app.seen.all.filter { $0 == "saved" }
    #expect(saved.count == 600)
  }

  /// The thread that is inside runs the action that another one has queued.
  @Test func anActionThatAnotherThreadRuns() async throws {
    let app = try App()
    let (store, observations) = try app.store()
    let gate = Gate()
    let other = try app.scripts.host.store(
      .reduce { _, _ in
        gate.wait()
        return .none
      }, state: [:])
    let sender = Task {
      await onOwnThread { Sender.$name.withValue("inside") { _ = other.send("block") } }
    }
    await gate.arrival()
    let tasks = try Sender.$name.withValue("queued") {
      [
        try store.send("save", "queued"), try store.send("fail", "queued"),
        try store.send("typo", "queued"),
      ]
    }
    #expect(app.seen.all == [])
    gate.open()
    await sender.value
    for task in tasks { await task.finish() }
    #expect(app.wrong.all == [])
    #expect(
      Set(app.seen.all)
        == [
          "handler", "observer", "onAction", "onError", "onWarning", "body", "save", "saved",
          "body, later", "body, after a time", "handler of an effect's action",
        ])
    for observation in observations { observation.cancel() }
  }

  /// Outside of all tasks they are known while the call of `withValue` lasts, and to the functions that effects wait for.
  @Test func anActionFromAThreadOutsideOfAllTasks() async throws {
    let names = Recorder<String?>()
    var dependencies = Dependencies()
    dependencies.register("note", live: .function { names.record(Sender.name) })
    dependencies.register(
      "wait",
      live: .asyncFunction { () async in
        await Task.yield()
        names.record(Sender.name)
      })
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          dependencies = { "note", "wait" }, state = {},
          on = { go = function(_, _, deps)
            deps.note()
            return effect.run(function(_, deps) deps.note() deps.wait() deps.note() deps.wait() end)
          end },
        }
        """
      ], dependencies: dependencies)
    let store = try scripts.store()
    let task = await onOwnThread { Sender.$name.withValue("thread") { store.send("go") } }
    await task.finish()
    #expect(names.all == Array(repeating: "thread", count: 5))
  }

  @Test func aSwiftEffectAndWhatItSends() async throws {
    let names = Recorder<String?>()
    let scripts = try Scripts([:])
    let store = try scripts.host.store(
      .reduce { state, action in
        names.record(Sender.name)
        guard action.path == "go" else { return .none }
        return .run { send in
          names.record(Sender.name)
          await Task.yield()
          Sender.$name.withValue("inner") { send("inner") }
          send("outer")
        }
      }, state: [:])
    await Sender.$name.withValue("outer") { await store.send("go").finish() }
    #expect(names.all == ["outer", "outer", "inner", "outer"])
  }

  @Test func aSwiftEffectThatCancelsItselfLeavesTheOthersTheirValues() async throws {
    let (names, clock) = (Recorder<String?>(), VirtualClock())
    let scripts = try Scripts([:], clock: clock)
    let store = try scripts.host.store(
      .reduce { state, action in
        names.record(Sender.name)
        switch action.path {
        case "go":
          return .merge(
            Effect.run { send in send("stop") }.cancellable(id: "a"),
            Effect.send("late").debounce(id: "b", for: .seconds(1)))
        case "stop": return .cancel(id: "a")
        default: return .none
        }
      }, state: [:])
    // A function that is not `async` calls the overload of `withValue` that is not.
    func go() { Sender.$name.withValue("outer") { _ = store.send("go") } }
    go()
    // Until "stop" has cancelled its effect.
    while store.effects.count > 1 { await Task.yield() }
    clock.advance(by: .seconds(1))
    await store.finish()
    #expect(names.all == ["outer", "outer", "outer"])
  }
}
