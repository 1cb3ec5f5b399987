-- The module `scripted.effect`. The functions and methods that make effects come from C and Swift, under the names by
-- which scripts call them. Functions that run inside `effect.run` are defined here.
--
-- Waiting happens only in native functions, such as `native.join` and the clocks' `sleep`. They
-- suspend the coroutine that calls them.

local native, need = ...
local fail, checks = need("lines").fail, need "checks"
local cancelled, isFunction = native.cancelled, checks.isCallable

local function checkFunction(value, position, name)
  if not isFunction(value) then
    fail("bad argument #%d to '%s' (function expected, got %s)", position, name, type(value))
  end
end

-- Checks a list of functions and replaces each by `pack(index, fn)`, a function without arguments
-- and results. The list may have nils, as that of `effect.merge`. Also returns its last index.
local function parts(list, name, pack)
  if type(list) ~= "table" then
    fail("bad argument #1 to '%s' (list of functions expected, got %s)", name, type(list))
  end
  local indices, packed = {}, {}
  for index in pairs(list) do
    if math.type(index) ~= "integer" then fail("bad argument #1 to '%s' (a list of functions expected)", name) end
    indices[#indices + 1] = index
  end
  table.sort(indices)
  for place, index in ipairs(indices) do
    local fn = list[index]
    if not isFunction(fn) then
      fail("bad argument #1 to '%s' (element %d is a %s, not a function)", name, index, type(fn))
    end
    packed[place] = pack(index, fn)
  end
  return packed, indices[#indices] or 0
end

local function all(functions)
  local results = {}
  local packed, last = parts(functions, "effect.all", function(index, fn)
    return function() results[index] = fn() end
  end)
  native.join("effect.all", "all", packed)
  return table.unpack(results, 1, last)
end

local function race(functions)
  local winner, results
  local packed = parts(functions, "effect.race", function(index, fn)
    return function()
      local returned = table.pack(fn())
      if not winner then winner, results = index, returned end
    end
  end)
  if #packed == 0 then fail("bad argument #1 to 'effect.race' (a function expected, the list is empty)") end
  native.join("effect.race", "race", packed)
  return winner, table.unpack(results, 1, results.n)
end

local storeSleep = need("clock").store.sleep

local function timeout(seconds, fn, ...)
  if type(seconds) ~= "number" or seconds ~= seconds or seconds < 0 then
    local got = type(seconds) == "string" and "the string " .. seconds or tostring(seconds)
    fail("bad argument #1 to 'effect.timeout' (a time of zero or more seconds expected, got %s)", got)
  end
  checkFunction(fn, 2, "effect.timeout")
  local arguments, results, isOver = table.pack(...), nil, false
  local clock = native.featureClock("effect.timeout")
  local sleep = clock and native.clockWaits(clock) or storeSleep
  native.join("effect.timeout", "race", {
    function() results = table.pack(fn(table.unpack(arguments, 1, arguments.n))) end,
    function()
      sleep(seconds)
      isOver = not results
    end,
  })
  -- `fn` may have caught its cancellation and returned after the time was over.
  if isOver then error({ code = "timeout" }, 0) end
  return table.unpack(results, 1, results.n)
end

local function withCancellation(id, options, fn)
  if isFunction(options) and fn == nil then options, fn = nil, options end
  if id == nil or native.isOptions(id) then
    fail("bad argument #1 to 'effect.withCancellation' (an id expected, got %s; "
      .. "write withCancellation(\"x\", { cancelInFlight = true }, fn))", id == nil and "nil" or "a table of options")
  end
  if options ~= nil and type(options) ~= "table" then
    fail("bad argument #2 to 'effect.withCancellation' (table of options expected, got %s)", type(options))
  end
  for key in pairs(options or {}) do
    if key ~= "cancelInFlight" then
      fail("'effect.withCancellation' has no option '%s'; the only one is 'cancelInFlight'", tostring(key))
    end
  end
  checkFunction(fn, 3, "effect.withCancellation")
  local results
  native.join("effect.withCancellation", "all", { function() results = table.pack(fn()) end }, id,
    options and options.cancelInFlight or false)
  return table.unpack(results, 1, results.n)
end

-- The prefix `script:line: ` of a message.
local POSITION = "^[^\n:]*%.lua:%d+: "

-- How Lua begins its own messages. `native.try` knows what Lua has raised, but not what a script has
-- caught and raised again, or what a part of `effect.all` has raised.
local FAULTS = {
  "^bad argument #%d", "^attempt to index a ", "^attempt to call a ", "^attempt to perform arithmetic on a ",
  "^attempt to concatenate a ", "^attempt to get length of a ", "^attempt to compare ",
}

local function isMisuse(message)
  local text = message:gsub(POSITION, "")
  for _, fault in ipairs(FAULTS) do
    if text:find(fault) then return true end
  end
  return false
end

-- Whether an action can have a value.
local function isValue(value)
  local ok, isSame = pcall(native.equals, value, value)
  return ok and isSame
end

-- Returns the text of a string or a number; nil for others. Bytes that are not ASCII, in a text that is
-- not UTF-8, are written as in Lua strings.
local function textOf(value)
  if type(value) ~= "string" and type(value) ~= "number" then return nil end
  local text = tostring(value)
  if utf8.len(text) then return text end
  return (text:gsub("[\128-\255]", function(byte) return "\\" .. byte:byte() end))
end

-- A programming error, which no script means as a failure, keeps its position, and is a warning in a
-- test. A failure can always be sent: it has the fields of the raised table that an action can have,
-- and its message is a text.
local function result(fn, ...)
  checkFunction(fn, 1, "effect.result")
  local ok, value, isFault = native.try(fn, ...)
  if ok then
    if value == nil then value = native.null end
    return { success = value }
  end
  if value == cancelled then error(value, 0) end
  if isFault or type(value) == "string" and isMisuse(value) then
    if not value:find(POSITION) then value = native.here() .. ": " .. value end
    native.caughtFault(value)
    return { failure = { message = textOf(value) } }
  end
  local text = native.errorText(value)
  if type(value) ~= "table" then
    return { failure = { message = textOf(text or (tostring(value):gsub(POSITION, ""))) } }
  end
  local failure, message = {}, nil
  for key, field in pairs(value) do
    if key == "message" then message = field end
    if type(key) == "string" and isValue(key) and isValue(field) then failure[key] = field end
  end
  failure.message = textOf(message) or textOf(text) or textOf(failure.code) or "error"
  return { failure = failure }
end

-- ---- The module ---------------------------------------------------------------------------------

-- These two tables are made for this chunk alone.
local effect = native.effectFunctions
effect.cancelled = cancelled
effect.all = native.entry(all)
effect.race = native.entry(race)
effect.timeout = native.entry(timeout)
effect.withCancellation = native.entry(withCancellation)
effect.result = native.entry(result)

native.setEffectIndex(checks.strict(native.effectMethods, "an effect"))

return effect
