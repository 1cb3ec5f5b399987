import LuaBridge
import ScriptedStore
import Testing

@Suite struct TestStreamTests {
  private static let reading = """
    read = function(_, action)
      local name = action.value or "a"
      return effect.run(function(_, deps)
        for value in deps.source.updates() do
          note(name .. " " .. (type(value) == "table" and scripted.json.encode(value) or tostring(value)))
        end
        note(name .. " ended")
      end, { catch = function(error) note(type(error) == "table" and error.code or error:gsub("^.*: ", "")) end })
        :cancellable(name)
    end,
    stop = function(_, action) return effect.cancel(action.value) end,
    """

  private func app(_ on: String = reading) throws -> DoubleApp {
    try DoubleApp(
      on, doubles: [("stream", "test.stream()")],
      overrides: ["source": "{ updates = function() return stream end }"],
      dependencies: Dependencies(["source": .client(["updates": .function { 0 }])]))
  }

  @Test func whatIsSentIsReadBeforeSendReturns() throws {
    let app = try app()
    try app.send("read")
    #expect(app.store.effects.map(\.waitingOn) == ["test.stream"])
    let read = try app.test(
      """
      stream:send(1)
      local after = #doubles.trace
      stream:send({ id = 2, list = { true, scripted.null } })
      stream:send(false)
      return after
      """)
    #expect(read == 1)
    #expect(app.trace == ["a 1", #"a {"id":2,"list":[true,null]}"#, "a false"])
  }

  @Test func valuesAreKeptUntilTheyAreRead() throws {
    let app = try app()
    try app.test("stream:send(1) stream:send(2) stream:finish()")
    try app.send("read", "read")
    #expect(app.trace == ["a 1", "a 2", "a ended", "a ended"])
  }

  @Test func eachValueGoesToOneReaderInTurn() throws {
    let app = try app()
    for name in ["a", "b", "c"] { try app.store.send("read", Value(name)) }
    try app.test("for n = 1, 4 do stream:send(n) end stream:finish()")
    #expect(
      app.trace == ["a 1", "b 2", "c 3", "a 4", "b ended", "c ended", "a ended"])
  }

  private static let sendingTwo = """
    once = function(_, action)
      local name = action.value
      return effect.run(function(_, deps)
        for value in deps.source.updates() do
          note(name .. " " .. value)
          break
        end
      end)
    end,
    sendTwo = function() return effect.run(function() stream:send(1) stream:send(2) end) end,
    """

  /// The second of two values in one turn is for the second reader, and the third one waits on.
  @Test func aReaderKeepsItsPlaceUntilItGetsAValue() throws {
    let app = try app(TestStreamTests.sendingTwo)
    for name in ["a", "b", "c", "d"] { try app.store.send("once", Value(name)) }
    try app.send("sendTwo")
    try app.test("stream:send(3) stream:send(4)")
    #expect(app.trace == ["a 1", "b 2", "c 3", "d 4"])
  }

  @Test func aReaderThatHasAValueDoesNotTakeThatOfTheNext() throws {
    let app = try app(TestStreamTests.reading + TestStreamTests.sendingTwo)
    for name in ["a", "b"] { try app.store.send("read", Value(name)) }
    try app.send("sendTwo")
    #expect(app.trace == ["a 1", "b 2"])
    try app.test("stream:send(3) stream:finish()")
    #expect(app.trace == ["a 1", "b 2", "a 3", "b ended", "a ended"])
  }

  @Test func aCancelledReaderTakesNoValue() throws {
    let app = try app()
    for name in ["a", "b"] { try app.store.send("read", Value(name)) }
    try app.store.send("stop", "a")
    try app.test("stream:send(1)")
    #expect(app.trace == ["b 1"])
    try app.store.send("stop", "b")
    try app.test("stream:send(2)")
    try app.store.send("read", "c")
    #expect(app.trace == ["b 1", "c 2"])
  }

  /// The reader that was woken is cancelled before its turn: another one takes the value.
  @Test func aValueIsNotLostWithItsReader() throws {
    let app = try app(
      TestStreamTests.reading + """
        sendAndStop = function()
          return effect.run(function() stream:send(1) effect.cancel("a") end)
        end,
        """)
    for name in ["a", "b"] { try app.store.send("read", Value(name)) }
    try app.send("sendAndStop")
    #expect(app.trace == ["b 1"])
  }

  @Test func aFailureIsRaisedOnceAfterTheValues() throws {
    let app = try app()
    try app.test("stream:send(1) stream:fail('lost')")
    try app.send("read", "read")
    #expect(app.trace == ["a 1", "lost", "a ended"])
    let other = try self.app()
    try other.send("read")
    try other.test("stream:fail({ code = 'offline' })")
    #expect(other.trace == ["offline"])
  }

  @Test func aHandlersOverrideMaySendToo() throws {
    let app = try DoubleApp(
      TestStreamTests.reading + """
        connect = function(_, _, deps)
          deps.source.connect()
          note("connected")
        end,
        """, doubles: [("stream", "test.stream()")],
      overrides: [
        "source":
          "{ updates = function() return stream end, connect = function() stream:send('hello') end }"
      ], dependencies: Dependencies(["source": .client([:])]))
    try app.send("read", "connect")
    #expect(app.trace == ["connected", "a hello"])
  }

  @Test(arguments: [
    (
      "stream:send(nil)", "nil cannot be sent: it would end the loops over the stream; see finish()"
    ),
    ("stream:send(print)", "a stream takes values of state, not a function"),
    (
      "stream:send({ f = print })",
      "value.f: a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the function by the name"
    ),
    ("stream.send(1)", "call 'send' with a colon: stream:send(…)"),
    ("stream:fail()", "bad argument #1 to 'fail' (an error expected, got nil)"),
    ("stream:finish() stream:send(1)", "the stream is finished; nothing can be sent any more"),
    ("stream:fail('e') stream:finish()", "the stream is finished already"),
    ("stream:close()", "a test stream has no 'close'"),
    (
      "stream()",
      "test.stream waits, which only the function of an effect.run may: return effect.run(function(send, deps) … end)"
    ),
  ])
  func misuseIsRefusedAtTheLineOfTheTest(_ statement: String, _ message: String) throws {
    let app = try app()
    let error = try #require(scriptError { try app.test("\n" + statement) })
    #expect(error.message == message)
    #expect(error.script?.hasSuffix("statement1.lua") == true)
    #expect(error.line == 2)
  }

  @Test func whatNeverComesIsWaitedForUntilCancelled() throws {
    let app = try DoubleApp(
      """
      go = function()
        return effect.run(function(_, deps)
          local guard <close> = setmetatable({}, { __close = function() note("closed") end })
          deps.source.fetch(1)
          note("went on")
        end):cancellable("id")
      end,
      stop = function() return effect.cancel("id") end,
      """, overrides: ["source": "{ fetch = function() test.never() end }"],
      dependencies: Dependencies(["source": .client(["fetch": .function { 0 }])]))
    try app.send("go")
    #expect(app.store.effects.map(\.waitingOn) == ["test.never"])
    try app.send("stop")
    #expect(app.trace == ["closed"])
    #expect(app.store.effects.isEmpty)
    #expect(
      app.failure("test.never()")?.hasPrefix("test.never waits, which only the function") == true)
  }
}
