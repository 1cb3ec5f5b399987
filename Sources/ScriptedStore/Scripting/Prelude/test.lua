-- The module `scripted.test`: test stores and test doubles.

local native, doubles, defineViews = ...

local fail, suggestion, nameHint = native.fail, native.suggestion, native.nameHint

-- ---- Failures -----------------------------------------------------------------------------------

-- Ends a statement: raises the failure at the test's line, and prints the changes that were not
-- asserted.
local function finish(failure, skipped)
  if failure then
    local message = native.here() .. ": " .. failure
    error(native.failure(message), 0)
  end
  if skipped then print(native.here() .. ": not asserted:\n" .. skipped) end
end

-- Ends a statement on a double: raises the problems that came up during it.
function native.endStatement(...)
  finish(native.testProblems())
  return ...
end

-- ---- Options ------------------------------------------------------------------------------------

local function checkOptions(options, known, name)
  if options == nil then return {} end
  if type(options) ~= "table" then
    fail("the options of '%s' must be a table, not a %s", name, type(options))
  end
  for key, value in pairs(options) do
    local expected = known[key]
    if not expected then
      fail("'%s' has no option '%s'%s", name, tostring(key), nameHint(key, known))
    end
    if expected ~= "any" and type(value) ~= expected then
      fail("the option '%s' of '%s' must be a %s, not a %s", key, name, expected, type(value))
    end
  end
  return options
end

local function checkSeconds(seconds, what)
  if type(seconds) ~= "number" or seconds ~= seconds or seconds < 0 then
    fail("%s must be zero or more seconds, not %s", what, tostring(seconds))
  end
  return seconds
end

local TIMEOUT = { timeout = "number" }
local STRICT = { strict = "boolean" }

local function timeoutOf(options, store, name)
  local seconds = checkOptions(options, TIMEOUT, name).timeout
  return seconds and checkSeconds(seconds, "a timeout") or store
end

-- ---- Shared values ------------------------------------------------------------------------------

-- What `test.shared(key)` returns: a shared value as the host has it.
local sharedKeys = native.weakKeys()
local sharedMethods = {
  set = native.entry(function(shared, value)
    native.testSetShared(sharedKeys[shared] or fail("call it with a colon: test.shared(key):set(value)"), value)
    native.endStatement()
  end),
  update = native.entry(function(shared, change)
    local key = sharedKeys[shared] or fail("call it with a colon: test.shared(key):update(fn)")
    if type(change) ~= "function" then
      fail("bad argument #1 to 'update' (function expected, got %s)", type(change))
    end
    -- As in `migrate`: what it returns or, if that is nothing, what it made of its argument.
    local value = native.sharedGet(key)
    local new = change(value)
    if new == nil then new = value end
    native.testSetShared(key, new)
    native.endStatement()
  end),
}

local sharedMembers = { value = 1, status = 1, set = 1, update = 1 }

local Shared = {
  __name = "shared value",
  __metatable = false,
  __index = function(shared, name)
    if name == "value" then return native.sharedGet(sharedKeys[shared]) end
    if name == "status" then
      -- The value first: reading it loads it.
      native.sharedGet(sharedKeys[shared])
      return native.sharedGet(native.sharedStatus(sharedKeys[shared]))
    end
    return sharedMethods[name]
      or fail("a shared value has no '%s'%s", tostring(name), suggestion(name, sharedMembers))
  end,
  __newindex = function(_, name)
    fail("a shared value cannot be changed by its field '%s'; use test.shared(key):set(value)", tostring(name))
  end,
}

local function sharedValue(description)
  local shared = setmetatable({}, Shared)
  sharedKeys[shared] = description
  return shared
end

-- Makes the shared value of which a field of the state shows the part at these steps.
local function sharedField(kind, name, ...)
  return sharedValue { kind = kind, name = name, part = { ... } }
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

-- ---- Stores -------------------------------------------------------------------------------------

-- The state of each test store: the Swift object `store`, `exhaustivity` and `timeout`.
local records = native.weakKeys()

local function recordOf(store)
  return records[store] or fail("call this with a colon on a store from test.store(…)")
end

local testSend = native.testSend
local methods, Store = {}, { __name = "test store", __metatable = false }

-- The task that an action started. Its private fields have tables as keys, so that they do not
-- clash with names.
local Task = { __name = "task", __metatable = false }
local STORE, STARTED = {}, {}
local taskMethods = {}

function Task.__index(_, key)
  return taskMethods[key] or fail("a task has no '%s'; it has cancel, finish and isCancelled", tostring(key))
end

function Task.__newindex(_, key) fail("a task cannot be changed (field '%s')", tostring(key)) end

-- The task of each action that started nothing.
local NOTHING = setmetatable({ isCancelled = false, [STORE] = {} }, Task)

local function checkTask(task, name)
  if type(task) ~= "table" or rawget(task, STORE) == nil then
    fail("call '%s' with a colon: task:%s()", name, name)
  end
end

function taskMethods.cancel(task)
  checkTask(task, "cancel")
  if task == NOTHING then return end
  rawset(task, "isCancelled", true)
  finish(native.testCancel(task[STORE].store, task[STARTED]))
end

function taskMethods.finish(task, options)
  checkTask(task, "finish")
  local record = task[STORE]
  local timeout = timeoutOf(options, record.timeout, "finish")
  if task ~= NOTHING then finish(native.testFinish(record.store, task[STARTED], timeout)) end
end

-- Lets a call omit `payload`: a function in its position is `expect`.
local function arguments(payload, expect, options)
  if type(payload) == "function" then return nil, payload, expect end
  return payload, expect, options
end

-- The task of what an action of the store has started; nil for nothing.
local function taskOf(record, started)
  if not started then return NOTHING end
  return setmetatable({ isCancelled = false, [STORE] = record, [STARTED] = started }, Task)
end

function methods.send(store, what, payload, expect)
  local record = records[store] or recordOf(store)
  if type(payload) == "function" then payload, expect = nil, payload end
  local failure, skipped, started = testSend(record.store, what, payload, expect)
  if failure or skipped then finish(failure, skipped) end
  return taskOf(record, started)
end

function methods.receive(store, what, payload, expect, options)
  local record = recordOf(store)
  payload, expect, options = arguments(payload, expect, options)
  local timeout = timeoutOf(options, record.timeout, "receive")
  finish(native.testReceive(record.store, what, payload, expect, timeout))
end

function methods.assert(store, expect) finish(native.testAssert(recordOf(store).store, expect)) end

function methods.finish(store, options)
  local record = recordOf(store)
  finish(native.testFinish(record.store, nil, timeoutOf(options, record.timeout, "finish")))
end

function methods.skipReceivedActions(store, options)
  finish(native.testSkipReceived(recordOf(store).store, checkOptions(options, STRICT, "skipReceivedActions").strict))
end

function methods.skipInFlightEffects(store, options)
  finish(native.testSkipInFlight(recordOf(store).store, checkOptions(options, STRICT, "skipInFlightEffects").strict))
end

function methods.shared(store, path)
  if type(path) ~= "string" then
    fail("bad argument #1 to 'shared' (the path of a shared field of the state is expected, got %s)", type(path))
  end
  return sharedField(native.testSharedField(recordOf(store).store, path))
end

local function setExhaustivity(record, value)
  if value ~= "on" and value ~= "off" and type(value) ~= "table" then
    fail("the exhaustivity of a test store is \"on\", \"off\" or { showSkipped = true }, not %s", tostring(value))
  end
  local options = type(value) == "table" and checkOptions(value, { showSkipped = "boolean" }, "exhaustivity") or {}
  native.testSetExhaustivity(record.store, value == "on", options.showSkipped or false)
  record.exhaustivity = value
end

function methods.withExhaustivity(store, exhaustivity, fn)
  local record = recordOf(store)
  if type(fn) ~= "function" then
    fail("bad argument #2 to 'withExhaustivity' (function expected, got %s)", type(fn))
  end
  local outer = record.exhaustivity
  setExhaustivity(record, exhaustivity)
  local _ <close> = setmetatable({}, { __close = function() setExhaustivity(record, outer) end })
  return fn(store)
end

for name, method in pairs(methods) do methods[name] = native.entry(method) end
for name, method in pairs(taskMethods) do taskMethods[name] = native.entry(method) end

local getters = {}

function getters.state(record) return native.testState(record.store) end
function getters.isDismissed(record) return native.testIsDismissed(record.store) end
function getters.exhaustivity(record) return record.exhaustivity end
function getters.timeout(record) return record.timeout end

-- A table that reads dependencies as `deps` does. An assignment overrides a dependency.
function getters.dependencies(record)
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

local setters = {}

function setters.timeout(record, seconds) record.timeout = checkSeconds(seconds, "store.timeout") end
setters.exhaustivity = setExhaustivity

local function unknown(kind, key)
  local members = {}
  for _, list in ipairs { methods, getters } do
    for name in pairs(list) do members[name] = true end
  end
  fail("a test store has no %s '%s'%s", kind, tostring(key), suggestion(key, members))
end

function Store.__index(store, key)
  local method = methods[key]
  if method then return method end
  local getter = getters[key] or unknown("member", key)
  return getter(recordOf(store))
end

function Store.__newindex(store, key, value)
  local setter = setters[key]
  if not setter then
    if key == "state" then
      fail("'state' of a test store can only be read; send an action, or begin with another state: "
        .. "test.store(Feature, { state = { … } })")
    end
    if getters[key] then fail("'%s' of a test store can only be read", key) end
    unknown("field", key)
  end
  setter(recordOf(store), value)
end

local OPTIONS = {
  ["test.store"] = { state = "any", dependencies = "table", exhaustivity = "any", timeout = "number" },
  ["test.view"] = { state = "any", dependencies = "table", exhaustivity = "any", timeout = "number", env = "table" },
}

-- Makes a store for `test.store`, or one with a view for `test.view`.
local function makeRecord(reducer, options, name)
  options = checkOptions(options, OPTIONS[name], name)
  for dependency, value in pairs(options.dependencies or {}) do checkMade(dependency, value) end
  local make = name == "test.view" and native.testView or native.testStore
  local record = {
    store = make(reducer, options.state, options.dependencies, "`dependencies`", native.here(), options.env),
    timeout = options.timeout and checkSeconds(options.timeout, "the option 'timeout'") or 1,
    exhaustivity = "on",
  }
  record.testStore = setmetatable({}, Store)
  records[record.testStore] = record
  if options.exhaustivity ~= nil then setExhaustivity(record, options.exhaustivity) end
  finish(native.testProblems())
  return record
end

local function makeStore(reducer, options) return makeRecord(reducer, options, "test.store").testStore end

local makeView = defineViews(native, makeRecord, finish, taskOf, checkOptions)

-- ---- Warnings -----------------------------------------------------------------------------------

-- Whether a message matches a Lua pattern or contains it as plain text. The text may be an invalid
-- pattern.
local function matches(message, pattern)
  local ok, found = pcall(string.find, message, pattern)
  return ok and found ~= nil or message:find(pattern, 1, true) ~= nil
end

local function expectWarning(pattern, fn)
  if type(pattern) ~= "string" then
    fail("bad argument #1 to 'test.expectWarning' (string expected, got %s)", type(pattern))
  end
  if type(fn) ~= "function" then
    fail("bad argument #2 to 'test.expectWarning' (function expected, got %s)", type(fn))
  end
  native.testBeginWarnings()
  local warnings
  do
    local _ <close> = setmetatable({}, { __close = function() warnings = native.testEndWarnings() end })
    fn()
  end
  if #warnings == 0 then finish(("a warning that matches '%s' was expected, but there was none"):format(pattern)) end
  for _, warning in ipairs(warnings) do
    if not matches(warning, pattern) then
      finish(("a warning that matches '%s' was expected, but there was this one:\n%s"):format(pattern, warning))
    end
  end
end

-- ---- Stored values ------------------------------------------------------------------------------

local function checkName(name, method)
  if type(name) ~= "string" or name == "" then
    fail("bad argument #1 to 'test.storage.%s' (the name of a file is expected, got %s)", method, type(name))
  end
end

local function checkValueName(name, method)
  if type(name) ~= "string" then
    fail("bad argument #1 to 'test.storage.%s' (the name of an appStorage key is expected, got %s)", method, type(name))
  end
end

-- What `test.storage` is: the files of the stored values of this test, as another program sees them.
local storage
storage = {
  read = native.entry(function(name)
    checkName(name, "read")
    return native.testStorageRead(name)
  end),
  write = native.entry(function(name, text)
    checkName(name, "write")
    if type(text) ~= "string" then
      fail("bad argument #2 to 'test.storage.write' (text is expected, got %s); encode values with scripted.json",
        type(text))
    end
    return native.endStatement(native.testStorageWrite(name, text))
  end),
  remove = native.entry(function(name)
    checkName(name, "remove")
    return native.endStatement(native.testStorageWrite(name))
  end),
  rename = native.entry(function(name, new)
    checkName(name, "rename")
    if type(new) ~= "string" or new == "" then
      fail("bad argument #2 to 'test.storage.rename' (the name of a file is expected, got %s)", type(new))
    end
    return native.endStatement(native.testStorageRename(name, new))
  end),
  get = native.entry(function(name)
    checkValueName(name, "get")
    return native.testStorageGet(name)
  end),
  set = native.entry(function(name, value)
    checkValueName(name, "set")
    return native.endStatement(native.testStorageSet(name, value))
  end),
  names = native.entry(function() return native.testStorageNames() end),
  fail = native.entry(function(code, name)
    if code ~= nil and type(code) ~= "string" then
      fail("bad argument #1 to 'test.storage.fail' (a code as \"full\" is expected, got %s)", type(code))
    end
    if name ~= nil then checkName(name, "fail") end
    native.testStorageFail(code, name)
  end),
  restart = native.entry(function() native.testStorageRestart(false) end),
  crash = native.entry(function() native.testStorageRestart(true) end),
}
setmetatable(storage, {
  __metatable = false,
  -- test.storage { clock = clock }: the clock says when the files are written.
  __call = native.entry(function(_, options)
    if type(options) ~= "table" then
      fail("bad argument #1 to 'test.storage' (a table with a clock is expected, got %s)", type(options))
    end
    for option in pairs(options) do
      if option ~= "clock" then fail("test.storage has no option '%s', only 'clock'", tostring(option)) end
    end
    native.testStorageClock(native.clockOf(options.clock, "the option 'clock' of test.storage"))
    return storage
  end),
  __index = function(_, name)
    fail("test.storage has no '%s'%s", tostring(name), suggestion(name, storage))
  end,
})

-- ---- The module ---------------------------------------------------------------------------------

local test = {
  store = native.entry(makeStore),
  view = native.entry(makeView),
  shared = native.entry(function(key) return sharedValue(native.sharedKey(key, "test.shared")) end),
  storage = storage,
  expectWarning = native.entry(expectWarning),
}
for name, double in pairs(doubles) do test[name] = double end

return setmetatable(test, {
  __index = function(_, key)
    fail("scripted.test has no '%s'%s", tostring(key), suggestion(key, test))
  end,
}), {
  -- The functions that the test framework calls around each test.
  begin = native.testBegin,
  check = function()
    local failure = native.testCheck()
    if failure then error(native.failure(failure), 0) end
  end,
  finish = native.testEnd,
}
