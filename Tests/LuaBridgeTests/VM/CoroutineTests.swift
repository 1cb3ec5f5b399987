import LuaBridge
import Testing

@Suite struct CoroutineTests {
  private let lua: LuaVM
  private let environment: LuaTable

  init() throws {
    lua = try LuaVM()
    environment = try lua.makeEnvironment()
    let wait = try lua.makeFunction("wait") { .yield($0) }
    try environment.set("wait", to: .function(wait))
  }

  private func coroutine(_ source: String) throws -> LuaCoroutine {
    try lua.load(source, name: "body.lua", environment: environment).makeCoroutine()
  }

  @Test func valuesGoInAndOutAtEachWait() throws {
    let body = try coroutine("local a, b = ... local c = wait(a + b, 'more') return c .. '!', nil")
    guard case .yielded(let waiting) = try body.resume([1, 2]) else {
      Issue.record("it did not wait")
      return
    }
    #expect(waiting[0].integer == 3)
    #expect(waiting[1].text == "more")
    #expect(!body.isFinished)
    guard case .finished(let results) = try body.resume(["done"]) else {
      Issue.record("it did not finish")
      return
    }
    #expect(results.count == 2)
    #expect(results[0].text == "done!")
    #expect(body.isFinished)
    #expect(throws: ScriptError.self) { try body.resume() }
  }

  @Test func aWaitWorksInPcallInIteratorsInMetamethodsAndInCloseHandlers() throws {
    let body = try coroutine(
      """
      local sum = select(2, pcall(function() return wait('pcall') end))
      for value in function(_, last) return wait('iterator') end do sum = sum + value end
      local t = setmetatable({}, { __index = function() return wait('index') end })
      sum = sum + t.x
      do local c <close> = setmetatable({}, { __close = function() sum = sum + wait('close') end }) end
      return sum
      """)
    var names: [String] = []
    var answers: [LuaValue] = [1, 10, nil, 100, 1000]
    var step = try body.resume()
    while case .yielded(let values) = step {
      names.append(values[0].text ?? "?")
      step = try body.resume([answers.removeFirst()])
    }
    #expect(names == ["pcall", "iterator", "iterator", "index", "close"])
    guard case .finished(let results) = step else { return }
    #expect(results[0].integer == 1111)
  }

  @Test func aWaitInACallbackOfTheLibraryIsAnErrorAndTheCoroutineCanGoOn() throws {
    let body = try coroutine(
      "local ok, message = pcall(table.sort, { 2, 1 }, function() wait() end) return ok, message")
    guard case .finished(let results) = try body.resume() else {
      Issue.record("it waited")
      return
    }
    #expect(results[1].text?.hasSuffix("wait cannot wait here") == true)
  }

  @Test func closingRunsTheCloseVariables() throws {
    let body = try coroutine(
      """
      local c <close> = setmetatable({}, { __close = function(_, e) closed = e == nil and 'clean' or e end })
      closed = 'open'
      wait()
      closed = 'never'
      """)
    try environment.set("closed", to: "not yet")
    _ = try body.resume()
    #expect(try environment.string("closed") == "open")
    try body.close()
    #expect(try environment.string("closed") == "clean")
    #expect(body.isFinished)
    try body.close()
  }

  @Test func whatACloseVariableRaisesComesOutOfClose() throws {
    let body = try coroutine(
      "local c <close> = setmetatable({}, { __close = function() error('stuck') end })\nwait()")
    _ = try body.resume()
    let error = try failure { try body.close() }
    #expect(error.message == "stuck")
    #expect(error.line == 1)
    #expect(try lua.evaluate("return 1").first?.integer == 1)
  }

  @Test func anErrorHasTheCoroutinesTraceback() throws {
    let body = try coroutine("local function deep()\n wait() error('lost') end\ndeep()")
    _ = try body.resume()
    let error = try failure { _ = try body.resume() }
    #expect(error.message == "lost")
    #expect(error.script == "body.lua")
    #expect(error.line == 2)
    let traceback = try #require(error.traceback)
    #expect(traceback.contains("body.lua:2: in "))
    #expect(traceback.contains("body.lua:3: in "))
    #expect(body.isFinished)
  }

  @Test func anErrorClosesTheCloseVariablesWhichSeeIt() throws {
    let body = try coroutine(
      """
      local c <close> = setmetatable({}, { __close = function(_, e) seen = e end })
      wait()
      error('lost', 0)
      """)
    try environment.set("seen", to: "nothing")
    _ = try body.resume()
    #expect(try failure { _ = try body.resume() }.message == "lost")
    #expect(try environment.string("seen") == "lost")
    try body.close()
  }

  @Test func anErrorValueSurvives() throws {
    let body = try coroutine("wait() error { code = 5 }")
    _ = try body.resume()
    let error = try failure { _ = try body.resume() }
    #expect(error.value == ["code": 5])
    #expect(error.line == 1)
  }

  @Test func aCoroutineCanNeitherResumeNorCloseItself() throws {
    var running: LuaCoroutine?
    var errors: [String] = []
    let touch = try lua.makeFunction("touch") { _ in
      do { _ = try running?.resume() } catch { errors.append("\(error)") }
      do { try running?.close() } catch { errors.append("\(error)") }
      return .values([])
    }
    try environment.set("touch", to: .function(touch))
    let body = try coroutine("touch() local answer = wait() return answer")
    running = body
    guard case .yielded = try body.resume() else {
      Issue.record("it did not get to its wait")
      return
    }
    #expect(errors.count == 2)
    guard case .finished(let results) = try body.resume([6]) else { return }
    #expect(results[0].integer == 6)
    running = nil
  }

  @Test func coroutinesThatStartEachOtherWithoutEndAreStopped() throws {
    let start = try lua.makeFunction("start") { arguments in
      guard case .function(let function) = arguments[0] else { return .values([]) }
      _ = try function.makeCoroutine().resume()
      return .values([])
    }
    try environment.set("start", to: .function(start))
    let body = try coroutine("local function f() start(f) end f()")
    let error = try failure { _ = try body.resume() }
    #expect(error.message.contains("overflow"))
    #expect(try lua.evaluate("return 1").first?.integer == 1)
  }

  @Test func aCoroutineMayCallHandlersAndScriptsOfTheVMWhileItRuns() throws {
    let nested = try lua.makeFunction("nested") { [unowned lua] _ in
      .values(try lua.evaluate("local t = {} for i = 1, 3 do t[i] = i end return #t"))
    }
    try environment.set("nested", to: .function(nested))
    let body = try coroutine("local n = nested() wait(n) return nested()")
    guard case .yielded(let values) = try body.resume() else { return }
    #expect(values[0].integer == 3)
    guard case .finished(let results) = try body.resume() else { return }
    #expect(results[0].integer == 3)
  }
}
