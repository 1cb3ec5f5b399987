-- Spies, stubs and mocks, as in luassert 1.9: functions that record their calls.

local native, need = ...
local compare, vocabulary, luassert = need "compare", need "vocabulary", need "luassert"
local match, fail = need "match", need("lines").fail

-- ---- Calls --------------------------------------------------------------------------------------

-- Records a list of arguments or results: `refs` are the values themselves, `vals` are deep copies
-- of them, made at the time of the call.
local function record(...)
  local refs, vals = table.pack(...), { n = select("#", ...) }
  for i = 1, refs.n do vals[i] = compare.deepCopy(refs[i]) end
  return { refs = refs, vals = vals }
end

local function fitsOne(expected, value, ref)
  if match.is_ref_matcher(expected) then return expected(ref) end
  if match.is_matcher(expected) then return expected(value) end
  return compare.same(value, expected)
end

-- Whether a record equals the expected values, some of which may be matchers.
local function fits(expected, recorded)
  if expected.n ~= recorded.vals.n then return false end
  for i = 1, expected.n do
    if not fitsOne(expected[i], recorded.vals[i], recorded.refs[i]) then return false end
  end
  return true
end

-- Returns whether any record equals the expected values, and the last one that does.
local function anyFits(expected, records)
  for i = #records, 1, -1 do
    if fits(expected, records[i]) then return true, records[i] end
  end
  return false
end

-- Returns the list with its number of elements in `n`.
local function counted(list)
  if list.n then return list end
  return table.pack(table.unpack(list))
end

-- ---- Spies --------------------------------------------------------------------------------------

local Spy = { __tostring = function() return "spy" end }

local function isSpy(value) return type(value) == "table" and getmetatable(value) == Spy end

-- Among recorded values it stays itself: a copy would no longer be called.
compare.neverCopy(Spy)

local function keepResults(spy, ...)
  table.insert(spy.returnvals, record(...))
  return ...
end

function Spy.__call(spy, ...)
  table.insert(spy.calls, record(...))
  return keepResults(spy, spy.callback(...))
end

local function quiet() end

local function makeSpy(callback)
  if callback == nil then callback = quiet end
  if not compare.isCallable(callback) then
    fail("a spy takes a function to call, got %s", luassert.show(callback))
  end
  local spy = setmetatable({ calls = {}, returnvals = {}, callback = callback }, Spy)

  function spy.clear()
    spy.calls, spy.returnvals = {}, {}
    return spy
  end

  --- Returns whether the spy was called, and how often. With `count` it must have been called
  --- exactly that often; with `isEnough`, `isEnough(calls, count)` decides.
  function spy.called(_, count, isEnough)
    local calls = #spy.calls
    if isEnough then return isEnough(calls, count), calls end
    if count then return calls == count, calls end
    return calls > 0, calls
  end

  function spy.called_with(_, expected) return (anyFits(counted(expected), spy.calls)), spy.calls end

  function spy.returned_with(_, expected) return (anyFits(counted(expected), spy.returnvals)), spy.returnvals end

  --- Puts the replaced value back into the table. Returns the function that the spy calls.
  function spy.revert()
    if spy.target_table and not spy.reverted then
      spy.target_table[spy.target_key] = spy.replaced
      spy.reverted = true
    end
    return spy.callback
  end

  return spy
end

-- Replaces a field by the spy, and registers the spy for snapshots.
local function install(spy, target, key)
  spy.target_table, spy.target_key, spy.replaced = target, key, target[key]
  target[key] = spy
  luassert.assert:add_spy(spy)
  return spy
end

local spy = setmetatable({
  new = native.entry(makeSpy),
  is_spy = isSpy,
  on = native.entry(function(target, key)
    if type(target) ~= "table" then fail("bad argument #1 to 'spy.on' (table expected, got %s)", type(target)) end
    return install(makeSpy(target[key]), target, key)
  end),
}, { __call = native.entry(function(_, ...) return makeSpy(...) end) })

-- ---- Stubs --------------------------------------------------------------------------------------

local function returning(...)
  local results = table.pack(...)
  return function() return table.unpack(results, 1, results.n) end
end

local function checkInvoked(fn)
  if not compare.isCallable(fn) then fail("bad argument #1 to 'invokes' (function expected, got %s)", type(fn)) end
end

-- Makes `returns` and `invokes`, which pass the new answer to `set` and return the stub.
local function answers(set, stubbed)
  return {
    returns = function(...)
      set(returning(...))
      return stubbed
    end,
    invokes = native.entry(function(fn)
      checkInvoked(fn)
      set(function(...) return fn(...) end)
      return stubbed
    end),
  }
end

-- The default answer of a stub: if the only value can be called, the stub calls it.
local function firstAnswer(first, ...)
  if compare.isCallable(first) and select("#", ...) == 0 then return first end
  return returning(first, ...)
end

local makeStub = native.entry(function(target, key, ...)
  if target == nil and key == nil then target, key = {}, "" end
  if type(target) ~= "table" or key == nil then
    luassert.raise("a stub takes a table and the key of a function in it")
  end
  if target[key] ~= nil and not compare.isCallable(target[key]) then
    luassert.raise(("a stub takes the place of a function, got %s"):format(luassert.show(target[key])))
  end
  local answer, answersTo = returning(), {}
  if select("#", ...) > 0 then answer = firstAnswer(...) end

  local stubbed = makeSpy(function(...)
    local arguments = table.pack(...)
    for _, entry in ipairs(answersTo) do
      -- The values themselves, as they cannot have changed yet.
      if fits(entry.expected, { vals = arguments, refs = arguments }) then return entry.answer(...) end
    end
    return answer(...)
  end)

  stubbed.by_default = answers(function(new) answer = new end, stubbed)
  stubbed.returns, stubbed.invokes = stubbed.by_default.returns, stubbed.by_default.invokes
  function stubbed.on_call_with(...)
    -- Copies, as the caller may change its tables before the stub is called.
    local expected = record(...).vals
    return answers(function(new) table.insert(answersTo, { expected = expected, answer = new }) end, stubbed)
  end
  -- Unlike a spy, a stub never calls what it replaces, and gives that back.
  local revert = stubbed.revert
  function stubbed.revert(self)
    revert(self)
    return stubbed.replaced
  end
  return install(stubbed, target, key)
end)

local stub = setmetatable({ new = makeStub }, { __call = native.entry(function(_, ...) return makeStub(...) end) })

-- ---- Mocks --------------------------------------------------------------------------------------

-- Calls `visit(table, key, value)` for each function and each spy in a table and its nested tables.
local function eachFunction(target, visit, seen)
  if seen[target] then return end
  seen[target] = true
  local keys = {}
  for key in pairs(target) do keys[#keys + 1] = key end
  for _, key in ipairs(keys) do
    local value = target[key]
    if isSpy(value) or type(value) == "function" then
      visit(target, key, value)
    elseif type(value) == "table" then
      eachFunction(value, visit, seen)
    end
  end
end

local function makeMock(target, isStubbed, ...)
  local answer = table.pack(...)
  if type(target) == "function" then return makeSpy(target) end
  if type(target) ~= "table" then return target end
  eachFunction(target, function(owner, key, value)
    if isSpy(value) then return end
    if isStubbed then
      makeStub(owner, key, table.unpack(answer, 1, answer.n))
    else
      install(makeSpy(value), owner, key)
    end
  end, {})
  return target
end

local function forSpies(method)
  local function visit(_, _, value)
    if isSpy(value) then value[method](value) end
  end
  return function(target)
    if isSpy(target) then
      visit(nil, nil, target)
    elseif type(target) == "table" then
      eachFunction(target, visit, {})
    end
    return target
  end
end

local mock = setmetatable({
  new = native.entry(makeMock),
  clear = forSpies("clear"),
  revert = forSpies("revert"),
}, { __call = native.entry(function(_, ...) return makeMock(...) end) })

-- ---- Assertions ---------------------------------------------------------------------------------

local function addModifier(name)
  vocabulary.register("modifier", name, function(state, arguments)
    if not isSpy(arguments[1]) then
      fail("assert.%s takes a %s, got %s", name, name, luassert.show(arguments[1]))
    end
    state.spy = arguments[1]
    -- Under this name custom assertions look for it.
    state.payload = arguments[1]
    if arguments[2] ~= nil then state.failure_message = arguments[2] end
    return state
  end)
end

addModifier("spy")
addModifier("stub")

local function spyOf(state, name)
  if not state.spy then fail("'%s' needs the spy: assert.spy(s).%s(…)", name, name) end
  return state.spy
end

local function times(count) return count == 1 and "once" or ("%s times"):format(tostring(count)) end

-- Adds an assertion about the number of calls. `words` precede the number in a message.
local function addCount(name, words, needsCount, isEnough)
  local function message(negation)
    return function(arguments, _, state)
      local count, got = arguments[1], times(#state.spy.calls)
      local expected = count ~= nil and (" " .. words .. times(count)) or ""
      return ("expected the spy %sto be called%s, it was called %s"):format(negation, expected, got)
    end
  end
  vocabulary.register("assertion", name, function(state, arguments)
    local watched = spyOf(state, name)
    local count = arguments[1]
    if needsCount and type(count) ~= "number" then
      fail("bad argument #1 to assert.%s (number of calls expected, got %s)", name, type(count))
    end
    if arguments[2] ~= nil then state.failure_message = arguments[2] end
    return (watched:called(count, isEnough))
  end, message(""), message("not "))
end

addCount("called", "", false)
addCount("called_at_least", "at least ", true, function(calls, count) return calls >= count end)
addCount("called_at_most", "at most ", true, function(calls, count) return calls <= count end)
addCount("called_more_than", "more than ", true, function(calls, count) return calls > count end)
addCount("called_less_than", "less than ", true, function(calls, count) return calls < count end)

local MOST_SHOWN = 10

local function listed(values, show)
  local texts = {}
  for i = 1, values.n do texts[i] = show(values[i]) end
  return "(" .. table.concat(texts, ", ") .. ")"
end

local function listedRecords(records, show)
  local lines = {}
  for i = math.max(1, #records - MOST_SHOWN + 1), #records do
    lines[#lines + 1] = ("  %d: %s"):format(i, listed(records[i].vals, show))
  end
  return #lines == 0 and " none" or "\n" .. table.concat(lines, "\n")
end

local function addValues(name, field, verb, what)
  local function message(prefix)
    return function(arguments, show, state)
      return ("expected the spy %s %s %s; %s:%s"):format(
        prefix, verb, listed(arguments, show), what, listedRecords(state.spy[field], show))
    end
  end
  vocabulary.register("assertion", name, function(state, arguments)
    local holds
    holds, state.fitting = anyFits(arguments, spyOf(state, name)[field])
    return holds
  end, message("to have"), message("not to have"))
end

addValues("called_with", "calls", "been called with", "its calls")
addValues("returned_with", "returnvals", "returned", "its results")

return { spy = spy, stub = stub, mock = mock }
