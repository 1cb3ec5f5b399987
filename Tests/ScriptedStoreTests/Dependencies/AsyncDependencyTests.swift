import Foundation
import LuaBridge
import ScriptedStore
import Synchronization
import Testing

@Suite struct AsyncDependencyTests {
  /// A host whose App runs `body` as an effect, with `deps.api`, and keeps what it sends as `done`.
  private func scripts(
    _ body: String, _ members: [String: Dependency], operators: String = ""
  ) throws -> Scripts {
    try Scripts(
      [
        "app": """

        local App = scripted.feature {
          name = "App", dependencies = { "api" }, state = { log = {} },
          on = {
            go = function(state, action)
              return effect.run(function(send, deps) \(body) end):cancellable("it")
            end,
            done = function(state, action) table.insert(state.log, action.value) end,
            stop = function() return effect.cancel("it") end,
            outside = function(state, action, deps) state.result = deps.api.fetch(1) end,
          },
        }
        return App\(operators)
        """
      ], dependencies: Dependencies(["api": .client(members)]))
  }

  private let fetch = Dependency.asyncFunction("number") { (number: Int) async in
    await Task.yield()
    return "fact \(number)"
  }

  @Test func anEffectWaitsForTheResult() async throws {
    let store = try scripts("send('done', deps.api.fetch(3) .. '!')", ["fetch": fetch]).store()
    await store.send("go").finish()
    #expect(store.log == ["fact 3!"])
  }

  @Test func dataIsAStringWithExactlyItsBytes() async throws {
    let store = try scripts(
      """
      local bytes = deps.api.fetch("a\\xff")
      send("done", bytes == "\\xff\\0")
      for part in deps.api.parts(bytes) do send("done", #part) end
      """,
      [
        "fetch": .asyncFunction { (data: Data) async in
          await Task.yield()
          return Data([data[1], 0])
        },
        "parts": .stream { (data: Data) in
          AsyncStream<Data> { parts in
            parts.yield(data + data)
            parts.yield(Data())
            parts.finish()
          }
        },
      ]
    ).store()
    await store.send("go").finish()
    #expect(store.state["log"] == [true, 4, 0])
  }

  /// A recording is text, so a replay asks the dependency once more.
  @Test func bytesAreNotRecorded() throws {
    let store = try Scripts(
      reading: ["api"], "state.result = #deps.api.load()",
      dependencies: ["api": .client(["load": .function { Data([0xFF, 0xFE]) }])]
    ).store()
    let history = store.record()
    store.send("go")
    #expect(store.state["result"] == 2)
    #expect(history[1]?.reads.map(\.answer) == [.opaque])
  }

  @Test func argumentsCanBeNamed() async throws {
    let store = try scripts("send('done', deps.api.fetch { number = 4 })", ["fetch": fetch]).store()
    await store.send("go").finish()
    #expect(store.log == ["fact 4"])
  }

  @Test func aResultOfNilIsNil() async throws {
    let store = try scripts(
      "send('done', tostring(deps.api.find()) .. tostring(deps.api.touch()))",
      [
        "find": .asyncFunction { () async -> Int? in nil },
        "touch": .asyncFunction { () async in await Task.yield() },
      ]
    ).store()
    await store.send("go").finish()
    #expect(store.log == ["nilnil"])
  }

  @Test func whatItThrowsIsRaisedAtTheCall() async throws {
    struct Refused: Error, CustomStringConvertible { let description = "refused" }
    let scripts = try scripts(
      "\n local ok, message = pcall(deps.api.fetch)\n send('done', message)",
      ["fetch": .asyncFunction { () async throws -> Int in throw Refused() }])
    let store = try scripts.store()
    await store.send("go").finish()
    #expect(store.log == ["app.lua:7: refused"])
  }

  @Test func aRaisedTableKeepsItsFields() async throws {
    let store = try scripts(
      "local _, e = pcall(deps.api.fetch) send('done', e.code)",
      [
        "fetch": .asyncFunction { () async throws -> Int in
          throw ScriptError("x", value: ["code": "E1"])
        }
      ]
    ).store()
    await store.send("go").finish()
    #expect(store.log == ["E1"])
  }

  @Test func aWrongArgumentIsRaisedAtTheCall() async throws {
    let store = try scripts(
      "local _, m = pcall(deps.api.fetch, 'x') send('done', m)", ["fetch": fetch]
    ).store()
    await store.send("go").finish()
    #expect(
      store.log.first?.hasSuffix(
        "bad argument #1 'number' to 'api.fetch' (integer expected, got string)") == true)
  }

  @Test func outsideOfAnEffectItRaisesAndRollsBack() throws {
    let calls = Atomic<Int>(0)
    let scripts = try scripts(
      "",
      ["fetch": .asyncFunction { (_: Int) async in calls.add(1, ordering: .relaxed) }])
    let store = try scripts.store()
    store.send("outside")
    #expect(scripts.errors.last?.message.contains("effect.run") == true)
    #expect(scripts.errors.last?.message.contains("api.fetch") == true)
    #expect(calls.load(ordering: .relaxed) == 0)
  }

  @Test func cancellingTheEffectCancelsTheTask() async throws {
    let (cancelled, heard) = AsyncStream.makeStream(of: Void.self)
    let (started, starts) = AsyncStream.makeStream(of: Void.self)
    let store = try scripts(
      "deps.api.wait() send('done', 'late')",
      [
        "wait": .asyncFunction { () async throws in
          starts.yield()
          do { try await Task.sleep(for: .seconds(3600)) } catch {
            heard.yield()
            throw error
          }
        }
      ]
    ).store()
    let task = store.send("go")
    for await _ in started { break }
    store.send("stop")
    for await _ in cancelled { break }
    await task.finish()
    #expect(store.log.isEmpty)
  }

  @Test func anOverrideOfAScriptsMayWait() async throws {
    let store = try scripts(
      "send('done', deps.api.fetch(5))", ["fetch": fetch],
      operators: """
        :transformDependency("api", function(api)
          local fetch = api.fetch
          return { fetch = function(n) return fetch(n) .. " and " .. fetch(n + 1) end }
        end)
        """
    ).store()
    await store.send("go").finish()
    #expect(store.log == ["fact 5 and fact 6"])
  }

  // MARK: Streams

  @Test func aStreamIsIteratedOver() async throws {
    let store = try scripts(
      "for value in deps.api.count(3) do send('done', 'n' .. value) end send('done', 'end')",
      [
        "count": .stream("to") { (to: Int) in
          AsyncStream { continuation in
            for number in 1...to { continuation.yield(number) }
            continuation.finish()
          }
        }
      ]
    ).store()
    await store.send("go").finish()
    #expect(store.log == ["n1", "n2", "n3", "end"])
  }

  @Test func aValueIsAskedForOnlyWhenTheScriptAsks() async throws {
    let asked = Counting()
    let store = try scripts(
      "for value in deps.api.count() do send('done', 'n' .. value) if value == 2 then break end end",
      ["count": .stream { asked }]
    ).store()
    await store.send("go").finish()
    #expect(store.log == ["n1", "n2"])
    #expect(asked.asked.load(ordering: .relaxed) == 2)
  }

  @Test func afterItsEndAStreamStaysEnded() async throws {
    let store = try scripts(
      """
      local next = deps.api.count()
      next()
      send('done', tostring(next()) .. tostring(next()))
      """,
      [
        "count": .stream {
          AsyncStream<Int> {
            $0.yield(1)
            $0.finish()
          }
        }
      ]
    ).store()
    await store.send("go").finish()
    #expect(store.log == ["nilnil"])
  }

  @Test func anErrorOfAStreamIsRaisedInTheLoop() async throws {
    struct Lost: Error, CustomStringConvertible { let description = "connection lost" }
    let store = try scripts(
      """
      local ok, message = pcall(function() for v in deps.api.count() do send('done', 'n' .. v) end end)
      send('done', message:match('connection lost'))
      """,
      [
        "count": .stream {
          AsyncThrowingStream<Int, any Error> {
            $0.yield(1)
            $0.finish(throwing: Lost())
          }
        }
      ]
    ).store()
    await store.send("go").finish()
    #expect(store.log == ["n1", "connection lost"])
  }

  @Test func twoThatReadOneStreamTakeTurns() async throws {
    let store = try scripts(
      """
      local next, sum = deps.api.count(), 0
      local function read() for value in next do sum = sum + value end end
      effect.all { read, read, read }
      send('done', tostring(sum))
      """,
      [
        "count": .stream {
          AsyncStream { continuation in
            for number in 1...100 { continuation.yield(number) }
            continuation.finish()
          }
        }
      ]
    ).store()
    await store.send("go").finish()
    #expect(store.log == ["5050"])
  }

  @Test func allThatWaitForOneStreamHearOfItsEnd() async throws {
    let store = try scripts(
      """
      local next = deps.api.nothing()
      local function read() for _ in next do end end
      effect.all { read, read, read, read }
      send('done', 'end')
      """,
      [
        "nothing": .stream {
          AsyncStream<Int>(unfolding: {
            // The other readers wait meanwhile.
            for _ in 0..<1000 { await Task.yield() }
            return nil
          })
        }
      ]
    ).store()
    await store.send("go").finish()
    #expect(store.log == ["end"])
  }

  @Test(arguments: ["break", "error('out')", "return", "effect.cancel('it') deps.api.never()()"])
  func leavingTheLoopEndsAStream(_ way: String) async throws {
    let (ended, ends) = AsyncStream.makeStream(of: Void.self)
    let store = try scripts(
      "for _ in deps.api.one() do do \(way) end end",
      [
        "one": .stream {
          AsyncStream<Int> { continuation in
            continuation.yield(1)
            continuation.onTermination = { _ in ends.yield() }
          }
        },
        "never": .stream { AsyncStream<Int> { _ in } },
      ]
    ).store()
    await store.send("go").finish()
    for await _ in ended { break }
  }

  @Test func cancellingTheEffectEndsAStream() async throws {
    let (ended, ends) = AsyncStream.makeStream(of: Void.self)
    let store = try scripts(
      "send('done', 'begin') for _ in deps.api.never() do end",
      [
        "never": .stream {
          AsyncStream<Int> { continuation in continuation.onTermination = { _ in ends.yield() } }
        }
      ]
    ).store()
    let task = store.send("go")
    #expect(store.log == ["begin"])
    store.send("stop")
    for await _ in ended { break }
    await task.finish()
  }
}

/// 1, 2, 3 …, and how many were asked for.
private final class Counting: AsyncSequence, AsyncIteratorProtocol, Sendable {
  let asked = Atomic<Int>(0)

  func makeAsyncIterator() -> Counting { self }
  func next() async -> Int? { asked.wrappingAdd(1, ordering: .relaxed).newValue }
}
