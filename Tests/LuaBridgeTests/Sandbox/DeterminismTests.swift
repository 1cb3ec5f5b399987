import LuaBridge
import Testing

@Suite struct DeterminismTests {
  @Test(arguments: [
    ("math.random()", "deps.random"), ("math.random(6)", "deps.random"),
    ("math.randomseed(1)", "deps.random"), ("os.time()", "deps.date"), ("os.clock()", "deps.clock"),
    ("os.date()", "deps.date"), ("os.date('*t')", "deps.date"),
  ])
  func whatDiffersFromRunToRunRaisesAndNamesTheDependency(
    call: String, dependency: String
  ) throws {
    let script = try SandboxScript()
    script.lua.runsFeatures = true
    try script.run("raises('\(dependency)', function() return \(call) end)")
  }

  @Test func timesThatAreGivenAreComputedWith() throws {
    let script = try SandboxScript()
    try script.run(
      """
      same(os.date("!%Y-%m-%d", 86400), "1970-01-02")
      same(os.date("!*t", 0).year, 1970)
      local noon, one = { year = 2020, month = 1, day = 1 }, { year = 2020, month = 1, day = 1, hour = 13 }
      same(os.difftime(os.time(one), os.time(noon)), 3600.0)
      """)
    try script.handle(
      """
      state.date = { year = 2020, month = 1, day = 1 }
      same(os.time(state.date), os.time { year = 2020, month = 1, day = 1 })
      same(state.date.yday, nil)
      """)
  }

  @Test func timesAreOfUTC() throws {
    try SandboxScript().run(
      """
      same(os.date("%Y-%m-%d %H:%M:%S %z", 86399), "1970-01-01 23:59:59 +0000")
      same(os.date("%c", 0), os.date("!%c", 0))
      same(os.date(nil, 0), os.date("!%c", 0))
      same(os.date("*t", 0).hour, 0)
      same(os.date("*t", 0).isdst, false)
      same(os.time { year = 1970, month = 1, day = 1, hour = 0 }, 0)
      same(os.time { year = 1970, month = 1, day = 1, hour = 0, sec = -1 }, -1)
      same(os.time { year = 2026, month = 7, day = 1 }, 1782907200)
      local date = { year = 2023, month = 14, day = 31, min = 61, isdst = true }
      same(os.time(date), 1709384460)
      same(os.date("!%Y-%m-%d %H:%M:%S", os.time(date)), "2024-03-02 13:01:00")
      same(date.year, 2024) same(date.month, 3) same(date.day, 2) same(date.hour, 13) same(date.min, 1)
      same(date.wday, 7) same(date.yday, 62) same(date.isdst, false)
      """)
  }

  @Test func fieldsOfADateThatCannotBeAreTold() throws {
    try SandboxScript().run(
      """
      raises("field 'day' missing in date table", os.time, { year = 2020, month = 1 })
      raises("field 'year' is not an integer", os.time, { year = "soon", month = 1, day = 1 })
      raises("field 'year' is not an integer", os.time, { year = 2020.5, month = 1, day = 1 })
      raises("field 'sec' is out-of-bound", os.time, { year = 2020, month = 1, day = 1, sec = math.mininteger })
      raises("field 'month' is out-of-bound", os.time, { year = 2020, month = math.maxinteger, day = 1 })
      raises("cannot be represented", os.time, { year = 2147485547, month = 13, day = 1 })
      raises("table expected", os.time, 1)
      same(os.time { year = "2020", month = 1.0, day = 1 }, 1577880000)
      """)
  }

  @Test func tostringNumbersTablesAndFunctionsInsteadOfTellingAddresses() throws {
    let script = try SandboxScript()
    try script.run(
      """
      local a, b = {}, {}
      same(tostring(a), "table: 1")
      same(tostring(b), "table: 2")
      same(tostring(print), "function: 3")
      same(tostring(a), "table: 1")
      same(("%s %5.1s"):format(a, "xyz"), "table: 1     x")
      raises("'%p'", string.format, "%p", a)
      raises("number expected, got table", string.format, "%d", a)
      same(tostring(setmetatable({}, { __name = "Point" })), "Point: 4")
      same(tostring(setmetatable({}, { __tostring = function() return "me" end })), "me")
      local odd = setmetatable({}, { __tostring = function() return {} end })
      raises("'__tostring' must return a string", tostring, odd)
      """)
  }

  @Test func aDraftIsNumberedTooAndStaysPrintableWhenItIsDead() throws {
    let script = try SandboxScript()
    try script.run("rawset(_ENV, 'kept', {})")
    try script.handle(
      """
      state.list = {}
      same(tostring(state.list), "table: 1")
      same(("%s"):format(state.list), "table: 1")
      kept.draft = state.list
      """)
    try script.run(
      """
      same(tostring(kept.draft), "table: 1")
      same(type(kept.draft), "table")
      raises("used after its handler returned", function() return #kept.draft end)
      raises("used after its handler returned", table.insert, kept.draft, 1)
      """)
  }
}
