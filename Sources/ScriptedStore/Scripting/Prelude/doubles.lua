-- The test doubles of `require "scripted.test"`: clocks, streams and other dependencies that a test
-- uses instead of the live ones.
--
-- A clock is a table whose fields are the members of the dependency `clock`. The methods for the
-- test, such as `advance`, are behind the metatable, so that they do not become members.

local native, need = ...
local fail, clocks, finishAll = need("lines").fail, need "clock", need("statements").finishAll

local function describe(value) return type(value) == "number" and tostring(value) or type(value) end

-- The Swift object of each double, with the name of its class.
local objects = native.weakKeys()

-- Makes the metatable of doubles of one kind, whose fields are members of a dependency. Errors of its
-- methods, and misspelt methods, are raised at the test's line, and so are problems that came up
-- during a method.
local function class(kind, methods, call)
  local entries = {}
  for name, method in pairs(methods) do
    entries[name] = native.entry(function(double, ...)
      local found = objects[double]
      if found == nil or found.kind ~= kind then fail("call '%s' with a colon: %s:%s(…)", name, kind, name) end
      return finishAll(method(found.native, ...))
    end)
  end
  return {
    __name = kind,
    __metatable = false,
    __index = native.entry(function(_, name)
      local method = entries[name]
      if method == nil then fail("a test %s has no '%s'", kind, tostring(name)) end
      return method
    end),
    __call = call,
  }
end

local function instance(metatable, fields, swiftObject)
  local double = setmetatable(fields, metatable)
  objects[double] = { kind = metatable.__name, native = swiftObject }
  return double
end

-- ---- Clocks -------------------------------------------------------------------------------------

local Clock = class("clock", {
  advance = function(clock, seconds)
    if seconds == nil then seconds = 0 end
    if type(seconds) ~= "number" or not (seconds >= 0 and seconds < math.huge) then
      fail("bad argument #1 to 'advance' (a time of zero or more seconds expected, got %s)", describe(seconds))
    end
    native.advance(clock, seconds)
    native.timeHasPassed()
  end,
  run = function(clock)
    native.runClock(clock)
    native.timeHasPassed()
  end,
  checkSuspension = native.checkSuspension,
})

-- Returns the Swift object of a test clock, or raises for anything else.
local function clockOf(double, what)
  local found = double ~= nil and objects[double]
  if not found or found.kind ~= "clock" then
    fail("%s must be a test.clock(), not a %s", what, found and found.kind or type(double))
  end
  return found.native
end

local ImmediateClock = class("immediateClock", {})

local function clock()
  local new = native.newClock()
  return instance(Clock, clocks.on(new), new)
end

local function immediateClock()
  local new = native.newImmediateClock()
  return instance(ImmediateClock, clocks.on(new), new)
end

-- ---- Streams ------------------------------------------------------------------------------------

local Stream = class("stream", {
  send = function(stream, value)
    if value == nil then fail("nil cannot be sent: it would end the loops over the stream; see finish()") end
    native.streamSend(stream, value)
  end,
  finish = function(stream) native.streamFinish(stream) end,
  fail = function(stream, reason)
    if reason == nil then fail("bad argument #1 to 'fail' (an error expected, got nil)") end
    native.streamFail(stream, reason)
  end,
}, function(stream) return native.streamNext(objects[stream].native) end)

local function stream() return instance(Stream, {}, native.newStream()) end

-- ---- Other doubles ------------------------------------------------------------------------------

local function checkInteger(value, name, what)
  if math.type(value) ~= "integer" then
    fail("bad argument #1 to '%s' (%s expected, got %s)", name, what, describe(value))
  end
end

local function uuid(number)
  checkInteger(number, "test.uuid", "an integer of zero or more")
  if number < 0 then fail("bad argument #1 to 'test.uuid' (an integer of zero or more expected, got %d)", number) end
  return native.uuid(number)
end

local function incrementingUUID()
  local next = -1
  return function()
    next = next + 1
    return native.uuid(next)
  end
end

local function constantDate(seconds)
  if type(seconds) ~= "number" or seconds ~= seconds then
    fail("bad argument #1 to 'test.constantDate' (seconds since 1970 expected, got %s)", describe(seconds))
  end
  return { now = function() return seconds end }
end

local function seededRandom(seed)
  checkInteger(seed, "test.seededRandom", "an integer")
  local integer, number = native.seededRandom(seed)
  return { integer = integer, number = number }
end

local function unimplemented(name)
  if type(name) ~= "string" or name == "" then
    fail("bad argument #1 to 'test.unimplemented' (a dependency's name expected, got %s)", describe(name))
  end
  return native.entry(function() native.unimplemented(name) end)
end

return {
  clockOf = clockOf,
  -- Members of `scripted.test`.
  members = {
    clock = native.entry(clock),
    immediateClock = native.entry(immediateClock),
    stream = native.entry(stream),
    never = native.never,
    uuid = native.entry(uuid),
    incrementingUUID = incrementingUUID,
    constantDate = native.entry(constantDate),
    seededRandom = native.entry(seededRandom),
    unimplemented = native.entry(unimplemented),
  },
}
