-- Shared values in tests: `test.shared(key)`, as the host has the value, and `test.storage`, the files.

local native, need = ...
local fail, checks, sharing = need("lines").fail, need "checks", need "sharing"
local finishAll = need("statements").finishAll

-- ---- Values -------------------------------------------------------------------------------------

local methods = {}

function methods.set(key, value)
  native.testSetShared(key, value)
  finishAll()
end

function methods.update(key, change)
  checks.argument(change, "function", 1, "update")
  -- As in `migrate`: what it returns or, if that is nothing, what it made of its argument.
  local value = native.sharedGet(key)
  local new = change(value)
  if new == nil then new = value end
  methods.set(key, new)
end

local getters = { value = native.sharedGet }

function getters.status(key)
  -- The value first: reading it loads it.
  native.sharedGet(key)
  return native.sharedGet(sharing.describeStatus(key))
end

-- Makes a shared value of the description of its key.
local makeShared = checks.class({
  name = "shared value",
  missing = "a shared value has no '%s'%s",
  colon = {
    set = "call it with a colon: test.shared(key):set(value)",
    update = "call it with a colon: test.shared(key):update(fn)",
  },
  fixed = "a shared value cannot be changed by its field '%s'; use test.shared(key):set(value)",
}, methods, getters)

-- ---- Files --------------------------------------------------------------------------------------

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
    return finishAll(native.testStorageWrite(name, text))
  end),
  remove = native.entry(function(name)
    checkName(name, "remove")
    return finishAll(native.testStorageWrite(name))
  end),
  rename = native.entry(function(name, new)
    checkName(name, "rename")
    if type(new) ~= "string" or new == "" then
      fail("bad argument #2 to 'test.storage.rename' (the name of a file is expected, got %s)", type(new))
    end
    return finishAll(native.testStorageRename(name, new))
  end),
  get = native.entry(function(name)
    checkValueName(name, "get")
    return native.testStorageGet(name)
  end),
  set = native.entry(function(name, value)
    checkValueName(name, "set")
    return finishAll(native.testStorageSet(name, value))
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
    native.testStorageClock(need("doubles").clockOf(options.clock, "the option 'clock' of test.storage"))
    return storage
  end),
  __index = function(_, name) checks.unknown("test.storage has no '%s'%s", name, storage) end,
})

return {
  shared = native.entry(function(key) return makeShared(sharing.describe(key, "test.shared")) end),
  -- Makes the shared value of which a field of the state shows the part at these steps.
  field = function(kind, name, ...) return makeShared { kind = kind, name = name, part = { ... } } end,
  storage = storage,
}
