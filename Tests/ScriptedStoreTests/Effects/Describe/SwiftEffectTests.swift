import LuaBridge
import ScriptedStore
import Testing

/// Effects of Swift reducers, which mix with scripts' and share their ids.
struct SwiftEffectTests {
  private struct Failure: Error, CustomStringConvertible {
    var description: String { "swift failed" }
  }

  /// A store of a reducer that notes each action in `state.log`, and what `effect` returns for `go`.
  private func store(
    _ scripts: Scripts, _ effect: @escaping @Sendable (Action) throws -> Effect
  ) throws -> Store {
    try scripts.host.store(
      .reduce { state, action in
        var log = state["log"].array ?? []
        log.append(.string(action.description))
        state["log"] = .array(log)
        return try effect(action)
      }, state: ["log": []])
  }

  @Test func aClosureSendsAndFinishes() async throws {
    let scripts = try Scripts([:])
    let store = try store(scripts) { action in
      guard action.path == "go" else { return .none }
      return .run { send in
        send("one")
        await Task.yield()
        try send("two", ["n": 2])
        send(try Action(path: "three"))
      }
    }
    await store.send("go").finish()
    #expect(store.log == ["go", "one", "two { n = 2 }", "three"])
    #expect(store.effects.isEmpty)
  }

  @Test func whatItSendsIsOfTheEffect() async throws {
    let scripts = try Scripts([:])
    let store = try store(scripts) { action in
      action.path == "go" ? .run { $0("sent") }.transaction(["id": 1]) : .none
    }
    let records = Recorder<ActionRecord>()
    let observation = store.onAction { records.record($0) }
    await store.send("go").finish()
    observation.cancel()
    #expect(records.all.map(\.source) == [.input, .effect])
    #expect(records.all.last?.transaction == ["id": 1])
  }

  @Test func whatItThrowsIsCaughtOrWarnedOf() async throws {
    let scripts = try Scripts([:])
    let store = try store(scripts) { action in
      switch action.path {
      case "caught":
        .run(
          { _ in throw Failure() },
          catch: { error, send in
            try? send("got", ["error": .string("\(error)")])
          })
      case "uncaught": .run { _ in throw Failure() }
      default: .none
      }
    }
    await store.send("caught").finish()
    #expect(store.log == ["caught", "got { error = \"swift failed\" }"])
    #expect(scripts.warnings.isEmpty)
    await store.send("uncaught").finish()
    await store.finish()
    let warning = try #require(scripts.warnings.first)
    #expect(warning.kind == .effectError)
    #expect(warning.message.contains("swift failed"), "\(warning.message)")
    #expect(warning.effect?.action == "uncaught")
  }

  @Test func cancellingItCancelsTheTaskAndItsSends() async throws {
    let scripts = try Scripts([:])
    let (began, ended) = (
      AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Bool.self)
    )
    let store = try store(scripts) { action in
      switch action.path {
      case "go":
        .run(
          { send in
            began.continuation.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            send("never")
            ended.continuation.yield(Task.isCancelled)
            try Task.checkCancellation()
          }, catch: { _, send in send("never") }
        ).cancellable(id: ["k": 1], cancelInFlight: true)
      case "cancel": .cancel(id: ["k": 1.0])
      default: .none
      }
    }
    let task = store.send("go")
    for await _ in began.stream { break }
    store.send("cancel")
    for await wasCancelled in ended.stream {
      #expect(wasCancelled)
      break
    }
    await task.finish()
    await store.finish()
    #expect(store.log == ["go", "cancel"])
    #expect(scripts.warnings.isEmpty)
  }

  @Test func aSequenceSendsAnActionPerElement() async throws {
    let scripts = try Scripts([:])
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    for value in 1...3 { continuation.yield(value) }
    continuation.finish()
    let store = try store(scripts) { action in
      guard action.path == "go" else { return .none }
      return .run(stream) { try Action(path: "got", payload: ["n": .integer(Int64($0))]) }
    }
    await store.send("go").finish()
    #expect(store.log == ["go", "got { n = 1 }", "got { n = 2 }", "got { n = 3 }"])
  }

  @Test func theOperatorsAreThoseOfScripts() async throws {
    let clock = VirtualClock()
    let scripts = try Scripts([:], clock: clock)
    let store = try store(scripts) { action in
      switch action.path {
      case "chain":
        .concatenate(
          .run { $0("first") }, .send("second"), .run { $0("third") },
          .merge([.send("fourth"), .none]))
      case "map":
        .run { $0("sent") }
          .map { (try? Action(["type": "mapped", "was": $0.value["type"]])) ?? $0 }
      case "debounce": .send("late").debounce(id: "d", for: .seconds(1))
      case "throttle": .send("through").throttle(id: "t", for: .seconds(1), latest: true)
      case "animation": .send("moved").animation("spring")
      default: .none
      }
    }
    await store.send("chain").finish()
    #expect(store.log == ["chain", "first", "second", "third", "fourth"])
    await store.send("map").finish()
    #expect(store.log.suffix(2) == ["map", "mapped { was = \"sent\" }"])
    for _ in 0..<2 { store.send("debounce") }
    clock.advance(by: .seconds(1))
    #expect(store.log.suffix(3) == ["debounce", "debounce", "late"])
    for _ in 0..<2 { store.send("throttle") }
    #expect(store.log.suffix(3) == ["throttle", "through", "throttle"])
    clock.advance(by: .seconds(1))
    #expect(store.log.last == "through")
    let records = Recorder<ActionRecord>()
    let observation = store.onAction { records.record($0) }
    store.send("animation")
    await store.untilObserved()
    observation.cancel()
    #expect(records.all.last?.transaction == ["animation": "spring"])
  }

  @Test func scriptsAndSwiftShareIdsWhereTheyAreCombined() async throws {
    let clock = VirtualClock()
    let scripts = try Scripts(
      [
        "app": """
        return scripted.combine {
          scripted.feature {
            state = { log = {} }, dependencies = { "clock" },
            actions = { "swift" },
            on = {
              script = function() return effect.run(function(_, deps) deps.clock.sleep(1000) end):cancellable("x", { cancelInFlight = true }) end,
              cancel = function() return effect.cancel("x") end,
            },
          },
          require "native",
        }
        """
      ],
      reducers: [
        "native": .reduce { _, action in
          switch action.path {
          case "swift":
            Effect.run { _ in for await _ in AsyncStream<Void>.makeStream().stream {} }
              .cancellable(id: "x", cancelInFlight: true)
          case "cancelSwift": .cancel(id: "x")
          default: .none
          }
        }
      ], clock: clock)
    let store = try scripts.store()
    for (start, stop) in [("script", "cancelSwift"), ("swift", "cancel")] {
      try store.send(start)
      #expect(store.effects.map(\.id) == ["x"])
      try store.send(stop)
      await store.finish()
      #expect(store.effects.isEmpty)
    }
    for action in ["script", "swift", "script", "swift"] { try store.send(action) }
    #expect(store.effects.filter { $0.action == "script" }.isEmpty)
    store.send("cancel")
    await store.finish()
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func aSwiftElementsEffectsGoWithItsState() async throws {
    let (began, ended) = (
      AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self)
    )
    let row = Reducer.reduce { _, action in
      guard action.path == "go" else { return .none }
      return .run { send in
        began.continuation.yield()
        for await _ in AsyncStream<Void>.makeStream().stream {}
        send("never")
        ended.continuation.yield()
      }
    }
    let scripts = try Scripts([:])
    let root = Reducer.reduce { state, action in
      if action.path == "drop" { state["rows"] = [["id": 2]] }
      return .none
    }
    let store = try scripts.host.store(
      root.forEach("rows", row), state: ["rows": [["id": 1], ["id": 2]]])
    for id in 1...2 { try store.send("rows[\(id)].go") }
    var count = 0
    for await _ in began.stream {
      count += 1
      if count == 2 { break }
    }
    store.send("drop")
    for await _ in ended.stream { break }
    #expect(store.effects.map(\.place) == ["rows[2]"])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func sendAfterItsEndIsDroppedWithAWarning() async throws {
    let scripts = try Scripts([:])
    let kept = Recorder<Send>()
    let store = try store(scripts) { action in
      action.path == "go" ? .run { kept.record($0) } : .none
    }
    await store.send("go").finish()
    kept.all.first?("late")
    #expect(store.log == ["go"])
    #expect(scripts.warnings.map(\.kind) == [.sendAfterEnd])
  }

  @Test func aSendThatOutlivesTheStoreDoesNothing() async throws {
    let scripts = try Scripts([:])
    let kept = Recorder<Send>()
    var store: Store? = try store(scripts) { action in
      action.path == "go" ? .run { kept.record($0) } : .none
    }
    if let task = store?.send("go") { await task.finish() }
    store = nil
    kept.all.first?("late")
    #expect(scripts.errors.isEmpty)
  }

  @Test func sendsOfManyChildTasksAllArrive() async throws {
    let scripts = try Scripts([:])
    let store = try scripts.host.store(
      .reduce { state, action in
        guard action.path == "go" else {
          state["n"] = .integer(Int64((state["n"].int ?? 0) + 1))
          return .none
        }
        return .run { send in
          try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
              group.addTask { for _ in 0..<50 { send("up") } }
            }
            try await group.waitForAll()
          }
        }
      }, state: ["n": 0])
    await store.send("go").finish()
    #expect(store.state == ["n": 1000])
  }
}
