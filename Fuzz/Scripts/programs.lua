-- Random programs on a plain table and on a draft of the same value: each step gives the same results or the same
-- error, and in the end both are the same. What section 2 of the script API has otherwise than Lua is left out: a
-- table that is assigned is a copy, so the programs assign copies to plain tables, and they write only what state can
-- hold.
--
-- Tests run them from seeds, the fuzzer from bytes.
local programs = {}

local list
local concat, sort, insert, remove, unpack = table.concat, table.sort, table.insert, table.remove, table.unpack
local mathType, select = math.type, select
local random -- a number from 1 to n; starts anew for each run of a program
local trace, pool, isDraft, isVerbose
local decisions, decided

-- Of a seed, or of a list of bytes and then of their number.
local function randomFrom(source)
  local bytes, word, at = source, source, 0
  if type(source) == "table" then word = #source else bytes = {} end
  return function(n)
    at = at + 1
    local byte = bytes[at]
    if byte then return (byte * n >> 8) + 1 end
    word = word * 6364136223846793005 + 1442695040888963407
    return (word >> 33) % n + 1
  end
end
local function pick(choices) return choices[random(#choices)] end

-- What a program asks of all of a value's parts is asked of the plain table, whose run is the first. The draft's run
-- goes the same way without looking, so that it has read no more than programs read.
local function decide(question, ...)
  decided = decided + 1
  if not isDraft then decisions[decided] = question(...) end
  return decisions[decided]
end

local scalars = { 1, 2, 2.0, 2.5, -7, 0, true, false, "a", "b", "10", "é", "", 1e15, math.maxinteger,
  "long text over forty bytes, which Lua does not intern" }
local names = { "x", "y" }

local function fresh(depth)
  local kind = random(depth > 2 and 2 or 7)
  if kind <= 2 then return pick(scalars) end
  if kind == 3 then return {} end
  local new = {}
  if kind == 4 then
    for i = 1, random(4) do new[i] = fresh(depth + 1) end
  elseif kind == 5 then
    for i = 1, random(12) do new[i] = random(9) end
  elseif kind == 6 then
    for _ = 1, random(4) do new["k" .. random(12)] = fresh(depth + 1) end
  else
    for i = 1, random(5) do new[i] = { id = random(6), name = pick(names) } end
  end
  return new
end
local function build(source)
  random = randomFrom(source)
  local root = { list = {}, object = {} }
  for i = 1, random(3) do root.list[i] = fresh(1) end
  for i = 1, random(4) do root.object["k" .. i] = fresh(1) end
  root.rows = {}
  for i = 1, random(4) do root.rows[i] = { id = i, name = "row" .. i, tags = { i, "t" } } end
  root.numbers = {}
  for i = 1, random(12) do root.numbers[i] = random(20) end
  return root
end

local function copy(value)
  if type(value) ~= "table" then return value end
  local new = {}
  for k, v in next, value do new[k] = copy(v) end
  return new
end
-- What is assigned: a draft as it is, which stores its value.
local function given(value)
  if isDraft then return value end
  return copy(value)
end
-- Of a value that has more parts than `most`, only that it does.
local function size(value, most)
  if type(value) ~= "table" then return 1 end
  local sum = 1
  for _, v in next, value do
    sum = sum + size(v, most - sum)
    if sum > most then break end
  end
  return sum
end
local function depth(value)
  local most = 0
  if type(value) == "table" then
    for _, v in next, value do most = math.max(most, depth(v)) end
    most = most + 1
  end
  return most
end
local function kind(t)
  if #t > 0 then return "list" end
  if next(t) ~= nil then return "object" end
  return "empty"
end
local function isList(t) return kind(t) ~= "object" end
local function isSmall(value) return size(value, 40) < 40 and depth(value) < 8 end
local function fits(value) return type(value) ~= "table" or decide(isSmall, value) end

local function text(value)
  if type(value) == "table" then
    local keys = {}
    for key in next, value do keys[#keys + 1] = tostring(key) end
    sort(keys)
    return "{" .. #value .. ": " .. concat(keys, ",") .. "}"
  elseif type(value) == "string" then
    return ("%q"):format(value)
  end
  return (math.type(value) or type(value)) .. " " .. tostring(value)
end
local function dump(value, out)
  if type(value) ~= "table" then
    out[#out + 1] = text(value)
    return out
  end
  local keys = {}
  for key in next, value do keys[#keys + 1] = key end
  sort(keys, function(a, b)
    if type(a) ~= type(b) then return type(a) < type(b) end
    return a < b
  end)
  out[#out + 1] = "{"
  for _, key in ipairs(keys) do
    out[#out + 1] = text(key)
    dump(value[key], out)
  end
  out[#out + 1] = "}"
  return out
end

-- A number for each key, so that their sum tells which there are.
local numbers = setmetatable({}, {
  __index = function(known, key)
    local number = 0
    for _, code in utf8.codes(tostring(key)) do number = (number + code) * 6364136223846793005 end
    known[key] = number
    return number
  end,
})
local Nil = {}
-- The same as `text`, for comparing only.
local function mark(value)
  if value == nil then return Nil end
  if type(value) == "table" then
    local sum = #value
    if sum > 0 then return sum end
    for key in next, value do sum = sum + numbers[key] end
    return sum
  end
  if mathType(value) == "float" then return text(value) end
  return value
end

local function note(...)
  for i = 1, select("#", ...) do
    local value = (select(i, ...))
    trace[#trace + 1] = (isVerbose and text or mark)(value)
    if type(value) == "table" and random(2) == 1 then pool[random(#pool)] = value end
  end
end
local function results(ok, ...)
  if ok then note(...) else note("error", (...)) end
  return ok
end
local function attempt(f, ...) return results(pcall(f, ...)) end

local function value()
  if random(3) == 1 then
    local other = pick(pool)
    if fits(other) then return given(other) end
  end
  return fresh(0)
end
-- To assign what stands there already changes nothing, in a table as in a draft.
local function assign(t, key)
  if random(3) == 1 then
    local other = pick(pool)
    if fits(other) then
      t[key] = rawequal(t[key], other) and other or given(other)
      return
    end
  end
  t[key] = fresh(0)
end
local function scalarOrNil() if random(4) == 1 then return nil end return pick(scalars) end
local keys = { "x", "y", "id", "name", "k1", "k2", "k3", "k4", "k5", "k*", "list", "rows", "tags" }
local function name()
  local key = pick(keys)
  if key == "k*" then return "k" .. random(12) end
  return key
end
local function index(t) return random(#t + 4) - 2 end
local odds = { "x", 1.5, true, "2", {}, 1e300, math.mininteger, 0 / 0 }
local function odd() return pick(odds) end
local function rank(v)
  if type(v) == "table" then return 1e16 + #v end
  return tonumber(v) or #tostring(v)
end
local function before(a, b) return rank(a) < rank(b) end
local function areOfOneType(t)
  local first = math.type(t[1]) and "number" or type(t[1])
  if first ~= "number" and first ~= "string" then return false end
  for i = 2, #t do
    if type(t[i]) ~= first then return false end
  end
  return true
end
local function sameType(t) return decide(areOfOneType, t) end
local function raising() error("raised") end
-- A new table is plain in either run, and so stays out of the pool.
local function parts(f, ...)
  local new = f(...)
  return #new, unpack(new, 1, 10)
end
-- What stock Lua leaves of a plain table then is undefined.
local function sorts(t, order) return (pcall(sort, copy(t), order)) end
local function failToSort(t, order)
  if not decide(sorts, t, order) then attempt(sort, isDraft and t or copy(t), order) end
end

-- One at a time, as telling of a mistake takes longer than most of what goes well.
local mistakes = {
  function(t) attempt(table.move, t, 1, math.maxinteger, 2) end,
  function(t) attempt(table.move, t, -1, math.maxinteger, 1) end,
  function(t) attempt(table.move, t, 1, 2) end,
  function(t) attempt(table.move, t, 2, 1, odd()) end,
  function(t) attempt(table.move, t, 1, 1, 1, pick { 1, "x", true }) end,
  function(t) attempt(function() return t + 1 end) end,
  function(t) attempt(function() return t .. "x" end) end,
  function(t) attempt(function() return -t end) end,
  function(t) attempt(function() return t < t end) end,
  function(t) attempt(function() return t < 1 end) end,
  function(t) attempt(function() return t <= "x" end) end,
  function(t) attempt(function() return t() end) end,
  function(t) attempt(function() return t.x.y.z end) end,
  function(t) attempt(function() return #t.nothing end) end,
  function(t) attempt(function() t.nothing.x = 1 end) end,
  function(t) attempt(function() t[nil] = 1 end) end,
  function(t) attempt(function() t:method() end) end,
  function(t) attempt(function() t[0 / 0] = 1 end) end,
  function(t) attempt(function() return t & 1 end) end,
  function(t) attempt(function() return ~t end) end,
  function(t) attempt(("x").rep, "x", t) end,
  function(t) attempt(("x").rep, t, 1) end,
  function(t) attempt(math.max, t, 1) end,
  function(t) attempt(tonumber, t) end,
  function(t) attempt(tonumber, "1", t) end,
  function() attempt(ipairs) end,
  function(t) attempt(select, t) end,
  function() attempt(rawlen, 1) end,
  function(t) attempt(setmetatable, 1, t) end,
  function(t) attempt(error, t) end,
  function(t) attempt(function() for i = t, 2 do note(i) end end) end,
  function(t) attempt(function() for k in t do note(k) end end) end,
  function(t) attempt(string.format, "%d", t) end,
  function(t) attempt(string.format, "%q", t) end,
  function(t) attempt(utf8.char, t) end,
  function(t) attempt(assert, false, t) end,
  function(t) attempt(insert, t) end,
  function(t) attempt(insert, t, 1, 2, 3) end,
  function(t) attempt(insert, t, pick { "x", 1.5, true }, 1) end,
  function(t) attempt(list.insert, t, 1, pick { #t + 2, 0, -1, "x", 1.5, true }) end,
  function(t) attempt(list.insert, t) end,
  function(t) attempt(list.removeAt, t, pick { 0, #t + 1, "x", true }) end,
  function(t) attempt(list.move, t, odd(), odd()) end,
  function(t) attempt(list.sort, t, pick { raising, "x" }) end,
  function(t) if isList(t) then attempt(list.removeAll, t, pick { raising, 1, "x" }) end end,
  function(t) attempt(parts, list.map, t, raising) end,
  function(t) attempt(next, t, pick { "no such key", -3, 1.5, true }) end,
  function(t) attempt(remove, t, odd()) end,
  function(t) attempt(unpack, t, index(t), odd()) end,
  function(t) attempt(concat, t, odd(), odd(), odd()) end,
}

local operations = {
  -- Reading.
  function(t) note(t[name()]) end,
  function(t) note(t[index(t)], t[random(4) + 0.0], t[1.5], t[true], t[nil], t[""]) end,
  function(t) note(#t, rawlen(t), type(t), rawget(t, name()), rawget(t, index(t)), rawequal(t, t), t == t) end,
  function(t) note(t == pick(pool), rawequal(t, pick(pool)), t ~= pick(pool)) end,
  function(t) note(select("#", unpack(t)), unpack(t, index(t), #t)) end,
  function(t) local packed = table.pack(unpack(t)); note(packed.n, packed[1], packed[packed.n]) end,
  function(t)
    for i, v in ipairs(t) do
      note(i, v)
      if random(6) == 1 and type(v) ~= "table" then t[i] = pick(scalars) end
      if random(12) == 1 then remove(t) end
    end
  end,
  function(t)
    local seen, sum = {}, 0
    for key, v in pairs(t) do
      seen[#seen + 1] = tostring(key)
      if type(key) == "string" then
        local choice = key:byte(-1) -- and not a random one, as Lua has no order of keys
        if choice % 3 == 0 then t[key] = nil elseif choice % 3 == 1 then t[key] = scalars[choice % #scalars + 1] end
      end
      sum = sum + (type(v) == "table" and #v or 1)
    end
    sort(seen)
    note(concat(seen, " "), sum)
  end,
  function(t)
    local seen, key, v = {}, next(t)
    while key ~= nil do
      seen[#seen + 1] = tostring(key) .. "=" .. text(v)
      key, v = next(t, key)
    end
    sort(seen)
    note(unpack(seen, 1, 20))
  end,
  -- Writing.
  function(t) if kind(t) ~= "list" then assign(t, name()) end end,
  function(t) if kind(t) ~= "list" then t[name()] = nil end end,
  function(t) local key = name(); if kind(t) ~= "list" then t[key] = t[key] end end,
  function(t) if kind(t) ~= "list" then rawset(t, name(), scalarOrNil()) end end,
  function(t) if isList(t) then t[#t + 1] = value() end end,
  function(t) if isList(t) and #t > 0 then assign(t, random(#t)) end end,
  function(t) if isList(t) and #t > 0 then t[random(#t) + 0.0] = pick(scalars) end end,
  function(t) if #t > 0 then t[#t] = nil end end,
  function(t) local i = random(#t + 1); if isList(t) then t[i] = t[i] end end,
  function(t)
    if #t < 2 then return end
    local i, j = random(#t), random(#t)
    if i == j then return end
    if isDraft then t[i], t[j] = t[j], t[i] else t[i], t[j] = copy(t[j]), copy(t[i]) end
  end,
  function(t) if kind(t) ~= "list" then for i = 1, random(30) do t["k" .. i] = i end end end,
  function(t) if isList(t) then for _ = 1, random(30) do t[#t + 1] = random(9) end end end,
  function(t) for key in pairs(t) do t[key] = nil end end,
  function(t) for i = #t, 1, -1 do t[i] = nil end end,
  -- The table library.
  function(t) if isList(t) then attempt(insert, t, value()) end end,
  function(t) if isList(t) then attempt(insert, t, random(#t + 1), value()) end end,
  function(t) if isList(t) then attempt(insert, t, pick { -1, 0, #t + 2, #t + 9, math.mininteger }, value()) end end,
  function(t) if isList(t) then attempt(insert, t, tostring(random(#t + 1)), 1) end end,
  function(t) attempt(remove, t) end,
  function(t) attempt(remove, t, index(t)) end,
  function(t) attempt(concat, t) attempt(concat, t, pick { ", ", "", 7 }) end,
  function(t) attempt(concat, t, "-", index(t), index(t)) end,
  function(t) if sameType(t) then attempt(sort, t) end end,
  function(t) attempt(sort, t, before) end,
  function(t) failToSort(t) end,
  function(t) failToSort(t, pick { raising, odd(), function() return true end }) end,
  function(t)
    if #t == 0 then return end
    local from = random(#t)
    local to, target = from + random(#t - from + 1) - 1, random(#t + 1)
    if isDraft then note(table.move(t, from, to, target) == t) return end
    local moved = {}
    for i = from, to do moved[i] = t[i] end
    if target ~= from then
      -- What stays behind is a copy.
      for i = from, to do
        if i < target or i > target + to - from then t[i] = copy(t[i]) end
      end
      for i = from, to do t[target + i - from] = moved[i] end
    end
    note(true)
  end,
  function(t)
    local other = pick(pool)
    if #t == 0 or not isList(other) or rawequal(t, other) or decide(size, t, 60) > 60 then return end
    local last, target = random(#t), random(#other + 1)
    if isDraft then note(table.move(t, 1, last, target, other) == other) return end
    for i = 1, last do other[target + i - 1] = copy(t[i]) end
    note(true)
  end,
  function(t) note(unpack(table.move(t, 1, #t, 1, {}), 1, 10)) end,
  -- scripted.list.
  function(t)
    local which = random(3)
    if which == 1 then attempt(list.indexOf, t, pick(scalars))
    elseif which == 2 then attempt(list.find, t, random(8))
    else attempt(list.find, t, "x", { id = "name" }) end
  end,
  function(t)
    local which = random(3)
    if which == 1 then attempt(list.find, t, pick(scalars), odd())
    elseif which == 2 then attempt(parts, list.ids, t)
    else attempt(parts, list.ids, t, { id = "name" }) end
  end,
  function(t)
    if isList(t) then
      attempt(list.insert, t, value(), random(#t + 1))
      attempt(list.insert, t, pick(scalars))
    end
  end,
  function(t)
    if isList(t) then
      attempt(list.remove, t, random(8))
      attempt(list.remove, t, pick(scalars), { id = "name" })
    end
  end,
  function(t)
    if not isList(t) then return end
    local wanted = random(3)
    attempt(list.removeAll, t, function(v) return rank(v) % 3 == wanted end)
  end,
  function(t)
    if #t == 0 then return end
    local indices = {}
    for i = 1, random(6) do indices[i] = random(#t) end
    if random(2) == 1 then attempt(list.removeAt, t, indices) else attempt(list.move, t, indices, random(#t + 1)) end
  end,
  function(t) if isList(t) then attempt(list.sort, t, before) end end,
  function(t) if isList(t) then attempt(list.sort, t, function() return random(2) == 1 end) end end,
  function(t)
    attempt(parts, list.filter, t, function(v) return rank(v) > 3 end)
    attempt(parts, list.map, t, text)
  end,
}

local function run(source, root, steps)
  random, pool, decided = randomFrom(source), {}, 0
  for i = 1, 10 do pool[i] = root end
  for _, key in ipairs { "list", "object", "rows", "numbers" } do pool[random(10)] = root[key] end
  local hasRoom = true
  for step = 1, steps do
    local choices = random(5) == 1 and mistakes or operations
    local at, t = random(#choices), pick(pool)
    if isVerbose then trace[#trace + 1] = (choices == mistakes and "mistake " or "operation ") .. at end
    if step % 8 == 0 then hasRoom = decide(size, root, 200) < 200 end
    if hasRoom then choices[at](t) end
    if isVerbose then trace[#trace + 1] = concat(dump(root, {}), " ") end
  end
end

-- What the program comes to on `root`.
local function traced(source, root, steps)
  trace = {}
  local ok, message = pcall(run, source, root, steps)
  if not ok then insert(trace, message) end
  return trace
end

local function both(state, start, source, steps)
  local root = copy(start)
  isDraft, decisions = false, {}
  local expected = traced(source, root, steps)
  isDraft = true
  local got = traced(source, state.root, steps)
  return got, expected, root
end

local function firstDifference(got, expected)
  for i = 1, math.max(#got, #expected) do
    if got[i] ~= expected[i] then return i end
  end
end

--- A table for programs to begin with. `source`: a number, or a list of bytes.
programs.build = build

-- Whether a draft and a table hold the same.
local function same(draft, plain)
  if type(plain) ~= "table" then return rawequal(draft, plain) and mathType(draft) == mathType(plain) end
  if type(draft) ~= "table" or #draft ~= #plain then return false end
  local count = 0
  for key, v in next, plain do
    if not same(draft[key], v) then return false end
    count = count + 1
  end
  for _ in next, draft do count = count - 1 end
  return count == 0
end
--- The same for others.
programs.same = same

--- Runs the program that `source` stands for on `state.root`, a draft of the same value as the table `start`, and on a
--- copy of that. Returns what the two do differently, or nil and what the table has become.
function programs.difference(scriptedList, state, start, source, steps)
  list, isVerbose = scriptedList, false
  local got, expected, root = both(state, start, source, steps)
  local at = firstDifference(got, expected)
  if not at and same(state.root, root) then return nil, root end
  -- Again in words, which reads more, and so may hide it.
  isVerbose, state.root = true, start
  local inWords, expectedInWords = both(state, start, source, steps)
  local worded = firstDifference(inWords, expectedInWords)
  if worded then
    got, expected, at = inWords, expectedInWords, worded
  elseif not at then
    return ("the draft has become\n%s\nand the table\n%s"):format(
      concat(dump(state.root, {}), " "), concat(dump(root, {}), " "))
  end
  local lines = {}
  for i = math.max(1, at - 12), at - 1 do insert(lines, tostring(expected[i])) end
  return ("after\n%s\na draft gives\n%s\nand a table\n%s"):format(
    concat(lines, "\n"), tostring(got[at]), tostring(expected[at]))
end

return programs
