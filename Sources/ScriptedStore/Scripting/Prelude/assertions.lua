-- The assertions and modifiers of luassert 1.9, and `matches_snapshot`.

local native, need = ...
local compare, vocabulary, luassert = need "compare", need "vocabulary", need "luassert"
local say, checkCount = luassert.say, luassert.checkCount

local function fail(message, ...) luassert.raise(message:format(...)) end

-- Takes the argument at `position` as the first line of the failure's message. It follows the
-- arguments that the assertion checks.
local function takeMessage(state, arguments, position)
  if arguments[position] ~= nil then state.failure_message = arguments[position] end
end

-- Registers an assertion under all its names. It needs at least `least` arguments. `positive` and
-- `negative` make the message. They are also registered with `say`, so that custom assertions can
-- use them.
local function add(names, least, positive, negative, holds)
  for _, name in ipairs(names) do
    local phrase = "assert." .. name
    say:set(("assertion.%s.positive"):format(name), positive)
    say:set(("assertion.%s.negative"):format(name), negative)
    vocabulary.register("assertion", name, function(state, arguments)
      checkCount(arguments, least, phrase)
      return holds(state, arguments)
    end, positive, negative)
  end
end

-- ---- Modifiers ----------------------------------------------------------------------------------

for _, name in ipairs { "is", "are", "was", "has", "does" } do
  vocabulary.register("modifier", name, vocabulary.filler)
end

for _, name in ipairs { "not", "no" } do
  vocabulary.register("modifier", name, function(state)
    state.mod = not state.mod
    return state
  end)
end

vocabulary.register("modifier", "message", function(state, arguments)
  state.failure_message = arguments[1]
  return state
end)

vocabulary.register("modifier", "array", function(state, arguments)
  checkCount(arguments, 1, "assert.array")
  state.array = arguments[1]
  return state
end)

-- ---- Equality -----------------------------------------------------------------------------------

local function onLines(first, second)
  if (first .. second):find("\n") then return first .. "\n" .. second end
  return first .. ", " .. second
end

local function expectedGot(what, expected, actual) return onLines(what .. " " .. expected, "got " .. actual) end

local function unlike(arguments, show)
  local difference = compare.difference(arguments[1], arguments[2])
  if difference then return "not as expected " .. difference end
  local expected, actual = show(arguments[1]), show(arguments[2])
  if expected == actual then return "expected this very value, got another that looks like it: " .. actual end
  return expectedGot("expected", expected, actual)
end

local function alike(arguments, show) return "expected anything but " .. show(arguments[1]) end

-- Of tables with the same contents, which are not the same table.
local function unlikeTable(arguments, show)
  local message = unlike(arguments, show)
  local first, second = arguments[1], arguments[2]
  if type(first) ~= "table" or type(second) ~= "table" or not compare.same(first, second, true) then return message end
  return message .. "; assert.same compares contents"
end

add({ "equal", "equals" }, 2, unlikeTable, alike, function(state, arguments)
  takeMessage(state, arguments, 3)
  return arguments[1] == arguments[2]
end)

add({ "same" }, 2, unlike, alike, function(state, arguments)
  takeMessage(state, arguments, 3)
  return compare.same(arguments[1], arguments[2], true)
end)

local function number(arguments, position)
  return tonumber(arguments[position])
    or fail("bad argument #%d to assert.near (number expected, got %s)", position, luassert.show(arguments[position]))
end

local function nearMessage(what)
  return function(arguments, show)
    return ("expected %s within %s of %s, got %s"):format(
      what, show(arguments[3]), show(arguments[1]), show(arguments[2]))
  end
end

add({ "near" }, 3, nearMessage("a number"), nearMessage("a number not"), function(state, arguments)
  takeMessage(state, arguments, 4)
  local expected, actual, tolerance = number(arguments, 1), number(arguments, 2), number(arguments, 3)
  return compare.isNear(actual, expected, tolerance)
end)

add({ "unique" }, 1, function(arguments, show)
  return "expected no two fields alike in " .. show(arguments[1])
end, function(arguments, show)
  return "expected two fields alike in " .. show(arguments[1])
end, function(state, arguments)
  local items, isDeep = arguments[1], arguments[2]
  if type(items) ~= "table" then fail("bad argument #1 to assert.unique (table expected, got %s)", type(items)) end
  -- A second argument that is not a boolean is the message.
  if type(isDeep) == "boolean" then
    takeMessage(state, arguments, 3)
  else
    takeMessage(state, arguments, isDeep == nil and 3 or 2)
  end
  return compare.isUnique(items, isDeep)
end)

-- ---- Truth and types ----------------------------------------------------------------------------

-- Adds the assertion that a value is of a kind. `what` is the kind in messages.
local function addKind(name, least, what)
  add({ name }, least, function(arguments, show)
    return expectedGot("expected", what, show(arguments[1]))
  end, function(arguments, show)
    local text = show(arguments[1])
    return text == what and "expected anything but " .. text or expectedGot("expected anything but", what, text)
  end, function(state, arguments)
    takeMessage(state, arguments, 2)
    return compare.kinds[name](arguments[1])
  end)
end

for _, name in ipairs(compare.types) do addKind(name, 0, "a " .. name) end
addKind("nil", 0, "nil")
addKind("true", 0, "true")
addKind("false", 0, "false")
addKind("truthy", 1, "a value that counts as true")
addKind("falsy", 1, "nil or false")

-- ---- Text ---------------------------------------------------------------------------------------

local function isMessage(option) return option and type(option) ~= "boolean" and not tonumber(option) end

-- Returns the optional arguments of `matches`: the position to begin at, and whether the pattern is
-- plain text. The first argument that can be neither is the message.
local function searchOptions(state, arguments, name)
  local first, isPlain = arguments[3], arguments[4]
  if isMessage(first) then
    takeMessage(state, arguments, 3)
    first, isPlain = arguments[4], arguments[5]
  elseif isMessage(isPlain) then
    takeMessage(state, arguments, 4)
    isPlain = arguments[5]
  else
    takeMessage(state, arguments, 5)
  end
  if first ~= nil and not tonumber(first) then
    fail("bad argument to assert.%s (position expected, got %s)", name, luassert.show(first))
  end
  return first or 1, isPlain
end

add({ "match", "matches" }, 2, function(arguments, show)
  return expectedGot("expected a text that matches", show(arguments[1]), show(arguments[2]))
end, function(arguments, show)
  return expectedGot("expected a text that does not match", show(arguments[1]), show(arguments[2]))
end, function(state, arguments)
  local pattern, value = arguments[1], arguments[2]
  if type(pattern) ~= "string" then
    fail("bad argument #1 to assert.matches (pattern expected, got %s)", type(pattern))
  end
  local first, isPlain = searchOptions(state, arguments, "matches")
  local text = compare.textOf(value)
  if not text then
    fail("bad argument #2 to assert.matches (a value with text expected, got %s)", luassert.show(value))
  end
  if isPlain then
    local from, to = text:find(pattern, first, true)
    return from ~= nil, { from and text:sub(from, to) }
  end
  local captures = table.pack(text:match(pattern, first))
  return captures[1] ~= nil, captures
end)

-- ---- Errors -------------------------------------------------------------------------------------

local NO_ERROR = {}

local function checkCallable(fn, name)
  if not compare.isCallable(fn) then
    fail("bad argument #1 to assert.%s (function expected, got %s)", name, luassert.show(fn))
  end
end

-- Returns a list that differs in its first element: an assertion about errors returns its arguments,
-- with the error, or else the function's first result, in place of the function.
local function withFirst(list, first)
  local copy = table.pack(table.unpack(list, 1, list.n))
  copy[1] = first
  return copy
end

-- Calls the function of an assertion about errors. Returns whether it has raised, and the error or its first result.
local function callFunction(state, fn)
  local succeeded, value = pcall(fn)
  -- An error's text is compared without its position.
  if not succeeded and type(value) == "string" then value = value:gsub("^[^\n]-:%d+: ", "", 1) end
  state.hasRaised, state.raised = not succeeded, succeeded and NO_ERROR or value
  return not succeeded, value
end

local function caught(state, show)
  if rawequal(state.raised, NO_ERROR) then return "nothing was raised" end
  return "got " .. show(state.raised)
end

local function hasNoErrorMessage(_, show, state) return "expected no error, " .. caught(state, show) end

add({ "error", "errors" }, 1, function(arguments, show, state)
  local what = arguments[2] == nil and "an error" or "the error " .. show(arguments[2])
  return onLines("expected " .. what, caught(state, show))
end, hasNoErrorMessage, function(state, arguments)
  local fn, expected = arguments[1], arguments[2]
  checkCallable(fn, "error")
  takeMessage(state, arguments, 3)
  local hasRaised, value = callFunction(state, fn)
  if not hasRaised then return false, withFirst(arguments, value) end
  local isExpected = arguments.n < 2 or expected == nil or compare.same(value, expected, true)
  if not isExpected and type(expected) == "string" then
    local text = native.errorText(value)
    isExpected = text == expected
    value = text or value
  elseif not isExpected and type(expected) == "number" then
    isExpected = type(value) == "string" and tonumber(value) == expected
  end
  return isExpected, withFirst(arguments, value)
end)

add({ "error_matches", "error_match", "matches_error", "match_error" }, 2, function(arguments, show, state)
  return onLines("expected an error that matches " .. show(arguments[2]), caught(state, show))
end, function(arguments, show, state)
  return onLines("expected no error that matches " .. show(arguments[2]), caught(state, show))
end, function(state, arguments)
  local fn, pattern = arguments[1], arguments[2]
  checkCallable(fn, "error_matches")
  local first, isPlain = searchOptions(state, arguments, "error_matches")
  local hasRaised, value = callFunction(state, fn)
  if not hasRaised then return false, withFirst(arguments, value) end
  if value == nil and pattern == nil then return true, { n = 1 } end
  if type(pattern) ~= "string" then
    fail("bad argument #2 to assert.error_matches (pattern expected, got %s)", type(pattern))
  end
  local text = compare.textOf(value) or type(value) == "boolean" and tostring(value)
  if not text then return false, withFirst(arguments, value) end
  if isPlain then
    local isFound = text:find(pattern, first, true) ~= nil
    return isFound, isFound and { pattern, n = 1 } or withFirst(arguments, text)
  end
  local captures = table.pack(text:match(pattern, first))
  if captures[1] == nil then return false, withFirst(arguments, text) end
  return true, captures
end)

-- ---- Lists --------------------------------------------------------------------------------------

add({ "returned_arguments" }, 1, function(arguments)
  return ("expected %s values, got %d"):format(tostring(arguments[1]), arguments.n - 1)
end, function(arguments)
  return ("expected a number of values other than %s"):format(tostring(arguments[1]))
end, function(_, arguments) return arguments[1] == arguments.n - 1 end)

add({ "holes" }, 0, function(_, show, state)
  return "expected a list with holes, got " .. show(state.array)
end, function(_, show, state)
  return ("expected a list without holes, got %s with none at %d"):format(show(state.array), state.hole)
end, function(state, arguments)
  if state.array == nil then fail("'holes' needs the list: assert.array(list).has.holes(length?)") end
  takeMessage(state, arguments, 2)
  local length = arguments[1]
  if length == nil then
    length = 0
    for key in next, state.array do
      if type(key) == "number" and key % 1 == 0 and key > length then length = key end
    end
  end
  for i = 1, length do
    if state.array[i] == nil then
      state.hole = i
      return true
    end
  end
  return false
end)

-- ---- Snapshots of values ------------------------------------------------------------------------

add({ "matches_snapshot" }, 1, function(_, _, state)
  return state.snapshotMessage or "expected the value of the snapshot"
end, function(arguments, show)
  return "expected another value than that of the snapshot, got " .. show(arguments[1])
end, function(state, arguments)
  local holds, message = native.matchesSnapshot(arguments[1], arguments[2])
  state.snapshotMessage = message
  return holds
end)
