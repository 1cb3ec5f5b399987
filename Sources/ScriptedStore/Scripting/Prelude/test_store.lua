-- Test stores, and the tasks that their actions start.
--
-- What is behind a test store is a table: the Swift object `store`, `testStore` itself, and its `exhaustivity` and
-- `timeout`. What is behind a task: `store`, the same table; `started`, what the action has started, nil for nothing;
-- and `isCancelled`.

local native, need = ...
local fail, checks, doubles = need("lines").fail, need "checks", need("doubles").members
local finish = need("statements").finish

-- ---- Options ------------------------------------------------------------------------------------

local TIMEOUT, STRICT, EXHAUSTIVITY = { timeout = "number" }, { strict = "boolean" }, { showSkipped = "boolean" }

local function checkSeconds(seconds, what)
  if type(seconds) ~= "number" or seconds ~= seconds or seconds < 0 then
    fail("%s must be zero or more seconds, not %s", what, tostring(seconds))
  end
  return seconds
end

local function timeoutOf(options, record, name)
  local seconds = checks.options(options, TIMEOUT, name).timeout
  return seconds and checkSeconds(seconds, "a timeout") or record.timeout
end

local function setExhaustivity(record, value)
  if value ~= "on" and value ~= "off" and type(value) ~= "table" then
    fail("the exhaustivity of a test store is \"on\", \"off\" or { showSkipped = true }, not %s", tostring(value))
  end
  local options = type(value) == "table" and checks.options(value, EXHAUSTIVITY, "'exhaustivity'") or {}
  native.testSetExhaustivity(record.store, value == "on", options.showSkipped or false)
  record.exhaustivity = value
end

-- ---- Dependencies -------------------------------------------------------------------------------

-- The functions that make a dependency, and how each is called.
local MAKERS = {
  [doubles.clock] = "test.clock()", [doubles.immediateClock] = "test.immediateClock()",
  [doubles.constantDate] = "test.constantDate(0)", [doubles.seededRandom] = "test.seededRandom(0)",
  [doubles.incrementingUUID] = "test.incrementingUUID()",
}

-- Raises for a double that was not made, because its function was not called.
local function checkMade(name, value)
  local call = type(value) == "function" and MAKERS[value]
  if call then fail("the dependency '%s' is a function; did you mean %s?", tostring(name), call) end
end

-- A table that reads dependencies as `deps` does. An assignment overrides a dependency.
local function dependenciesOf(record)
  return setmetatable({}, {
    __name = "dependencies",
    __metatable = false,
    __index = function(_, name) return native.testDependencies(record.store)[name] end,
    __newindex = function(_, name, value)
      if value == nil then fail("the dependency '%s' cannot be nil", tostring(name)) end
      checkMade(name, value)
      native.testOverride(record.store, name, value, "store.dependencies")
    end,
  })
end

-- ---- Tasks --------------------------------------------------------------------------------------

local makeTask = checks.class({
  name = "task",
  missing = "a task has no '%s'; it has cancel, finish and isCancelled",
  colon = "call '%s' with a colon: task:%s()",
  fixed = "a task cannot be changed (field '%s')",
}, {
  cancel = function(task)
    if not task.started then return end
    task.isCancelled = true
    finish(native.testCancel(task.store.store, task.started))
  end,
  finish = function(task, options)
    local timeout = timeoutOf(options, task.store, "'finish'")
    if task.started then finish(native.testFinish(task.store.store, task.started, timeout)) end
  end,
}, { isCancelled = function(task) return task.isCancelled end })

-- The task of each action that started nothing.
local NOTHING = makeTask { isCancelled = false, store = {} }

-- Ends a statement that may have started something. Returns its task.
local function finishWithTask(record, failure, skipped, started)
  if failure or skipped then finish(failure, skipped) end
  if not started then return NOTHING end
  return makeTask { isCancelled = false, store = record, started = started }
end

-- ---- Statements ---------------------------------------------------------------------------------

local methods = {}

-- A function in the position of `payload` is `expect`.
function methods.send(record, what, payload, expect)
  if type(payload) == "function" then payload, expect = nil, payload end
  return finishWithTask(record, native.testSend(record.store, what, payload, expect))
end

function methods.receive(record, what, payload, expect, options)
  if type(payload) == "function" then payload, expect, options = nil, payload, expect end
  local timeout = timeoutOf(options, record, "'receive'")
  finish(native.testReceive(record.store, what, payload, expect, timeout))
end

function methods.assert(record, expect) finish(native.testAssert(record.store, expect)) end

function methods.crash(record, expect) finish(native.testCrash(record.store, expect)) end

function methods.finish(record, options)
  finish(native.testFinish(record.store, nil, timeoutOf(options, record, "'finish'")))
end

for name, skip in pairs {
  skipReceivedActions = native.testSkipReceived, skipInFlightEffects = native.testSkipInFlight,
  skipAlarms = native.testSkipAlarms,
} do
  methods[name] = function(record, options)
    finish(skip(record.store, checks.options(options, STRICT, ("'%s'"):format(name)).strict))
  end
end

function methods.shared(record, path)
  if type(path) ~= "string" then
    fail("bad argument #1 to 'shared' (the path of a shared field of the state is expected, got %s)", type(path))
  end
  return need("test_shared").field(native.testSharedField(record.store, path))
end

function methods.withExhaustivity(record, exhaustivity, fn)
  checks.argument(fn, "function", 2, "withExhaustivity")
  local outer = record.exhaustivity
  setExhaustivity(record, exhaustivity)
  local _ <close> = setmetatable({}, { __close = function() setExhaustivity(record, outer) end })
  return fn(record.testStore)
end

-- ---- Stores -------------------------------------------------------------------------------------

local getters = {
  state = function(record) return native.testState(record.store) end,
  alarms = function(record) return native.testAlarms(record.store) end,
  isDismissed = function(record) return native.testIsDismissed(record.store) end,
  exhaustivity = function(record) return record.exhaustivity end,
  timeout = function(record) return record.timeout end,
  dependencies = dependenciesOf,
}

local setters = {
  timeout = function(record, seconds) record.timeout = checkSeconds(seconds, "store.timeout") end,
  exhaustivity = setExhaustivity,
}

local makeTestStore = checks.class({
  name = "test store",
  missing = "a test store has no member '%s'%s",
  colon = "call this with a colon on a store from test.store(…)",
  set = function(record, key, value)
    if setters[key] then return setters[key](record, value) end
    if key == "state" then
      fail("'state' of a test store can only be read; send an action, or begin with another state: "
        .. "test.store(Feature, { state = { … } })")
    end
    if getters[key] then fail("'%s' of a test store can only be read", key) end
    checks.unknown("a test store has no field '%s'%s", key, methods, getters)
  end,
}, methods, getters)

local OPTIONS = {
  ["test.store"] = {
    state = "any", dependencies = "table", exhaustivity = "any", timeout = "number", durable = "boolean",
  },
  ["test.view"] = {
    state = "any", dependencies = "table", exhaustivity = "any", timeout = "number", durable = "boolean", env = "table",
  },
}

-- Makes a store for `test.store`, or one with a view for `test.view`. Returns what is behind it.
local function make(reducer, options, name)
  options = checks.options(options, OPTIONS[name], ("'%s'"):format(name))
  for dependency, value in pairs(options.dependencies or {}) do checkMade(dependency, value) end
  local makeNative = name == "test.view" and native.testView or native.testStore
  local record = {
    store = makeNative(
      reducer, options.state, options.dependencies, "`dependencies`", native.here(), options.durable, options.env),
    timeout = options.timeout and checkSeconds(options.timeout, "the option 'timeout'") or 1,
    exhaustivity = "on",
  }
  record.testStore = makeTestStore(record)
  if options.exhaustivity ~= nil then setExhaustivity(record, options.exhaustivity) end
  finish(native.testProblems())
  return record
end

return {
  make = make,
  store = native.entry(function(reducer, options) return make(reducer, options, "test.store").testStore end),
  finishWithTask = finishWithTask,
}
