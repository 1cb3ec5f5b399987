-- Deep comparison, copies and text of any Lua value. Drafts and views of state are treated as
-- tables.

local native = ...
local isPlain = native.runOptions.isPlain
local format, next, rawequal, tostring, type = native.format, next, rawequal, tostring, type
-- In a plain VM also metatables that are hidden, as in luassert.
local getmetatable = isPlain and native.globals.debug.getmetatable or getmetatable

local compare = {}

--- Returns the metatable; nil if the value has none or hides it.
local function metatable(value)
  local meta = getmetatable(value)
  return type(meta) == "table" and meta or nil
end

function compare.isCallable(value)
  if type(value) == "function" then return true end
  local meta = metatable(value)
  return meta ~= nil and type(meta.__call) == "function"
end

--- Whether a value defines its own text.
function compare.hasText(value)
  local meta = metatable(value)
  return meta ~= nil and meta.__tostring ~= nil or native.isFailure(value)
end

--- Returns the text of a string, a number, or a value that defines its own text; nil for others.
function compare.textOf(value)
  if type(value) == "string" or type(value) == "number" or compare.hasText(value) then return tostring(value) end
end

-- ---- Kinds of values ---------------------------------------------------------------------------

--- The names of Lua's types, and whether a value is what an assertion or a matcher of that name wants.
compare.types = { "boolean", "function", "nil", "number", "string", "table", "thread", "userdata" }

compare.kinds = {
  ["true"] = function(value) return value == true end,
  ["false"] = function(value) return value == false end,
  truthy = function(value) return value end,
  falsy = function(value) return not value end,
}
for _, name in ipairs(compare.types) do
  compare.kinds[name] = function(value) return type(value) == name end
end

--- Whether a number lies within a distance of another.
function compare.isNear(value, expected, tolerance)
  return value >= expected - tolerance and value <= expected + tolerance
end

-- ---- Deep equality ------------------------------------------------------------------------------

-- Returns whether this comparison has already reached the pair; if not, records it. This ends the
-- comparison of cyclic tables.
local function isKnown(pairsSeen, a, b)
  local seen = pairsSeen[a]
  if not seen then
    seen = {}
    pairsSeen[a] = seen
  end
  if seen[b] then return true end
  seen[b] = true
  return false
end

local function sameTables(a, b, pairsSeen, ignoresEquality)
  local meta = metatable(a)
  if not ignoresEquality and meta and meta.__eq and meta == metatable(b) then return a == b end
  if rawequal(a, b) then return true end
  if isKnown(pairsSeen, a, b) then return true end
  for key, value in next, a do
    local other = b[key]
    if other == nil then return false end
    if type(value) ~= "table" or type(other) ~= "table" then
      if value ~= other then return false end
    elseif not sameTables(value, other, pairsSeen) then
      return false
    end
  end
  for key in next, b do
    if a[key] == nil then return false end
  end
  return true
end

--- Whether two values are equal; tables are equal if their contents are. If two tables share a
--- metatable with `__eq`, `__eq` decides. `ignoresEquality` ignores the `__eq` of `a` and `b`
--- themselves.
function compare.same(a, b, ignoresEquality)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  return sameTables(a, b, {}, ignoresEquality)
end

--- Whether no two fields of a table are equal. Compares with `==`, and also by contents if
--- `isDeep`. O(n²).
function compare.isUnique(items, isDeep)
  for key, value in next, items do
    for otherKey, other in next, items, key do
      if value == other and key ~= otherKey then return false end
      if isDeep and compare.same(value, other) then return false end
    end
  end
  return true
end

-- ---- Copies -------------------------------------------------------------------------------------

-- The metatables of tables that are never copied.
local uncopied = {}

--- Lets tables with this metatable stay themselves in copies.
function compare.neverCopy(meta) uncopied[meta] = true end

local function copied(value, keepsMetatables, copies)
  if type(value) ~= "table" then return value end
  local meta = getmetatable(value)
  if meta and uncopied[meta] then return value end
  if copies[value] then return copies[value] end
  local copy = {}
  copies[value] = copy
  for key, field in next, value do
    copy[copied(key, keepsMetatables, copies)] = copied(field, keepsMetatables, copies)
  end
  return keepsMetatables and setmetatable(copy, metatable(value)) or copy
end

--- Returns a copy of a table and of all tables in it. The copies have the same metatables unless
--- `dropsMetatables`.
function compare.deepCopy(value, dropsMetatables) return copied(value, not dropsMetatables, {}) end

-- ---- Text ---------------------------------------------------------------------------------------

-- The bounds of one message: about one screen.
local MOST_LINES, MOST_BYTES = 40, 4000
-- A message is made of no more tables and no more fields than this, even if only some are shown.
local MOST_TABLES, MOST_REPEATED = 1000, 100000
-- No value of state is nested deeper.
local DEEPEST = 128

-- Returns the number of fields that a value has as a tree, where a table counts as often as it is reached. Adds those
-- of different tables to `known.fields`. A float, as 64 tables that each have the next one twice exceed an integer.
local function treeSize(value, known, depth)
  if type(value) ~= "table" then
    known.fields = known.fields + 1
    return 1.0
  end
  if known[value] then return known[value] end
  if depth > DEEPEST then return math.huge end
  known[value] = math.huge -- if it contains itself
  known.fields = known.fields + 1
  local size = 1.0
  for _, field in next, value do size = size + treeSize(field, known, depth + 1) end
  known[value] = size
  return size
end

-- Whether a value of state made of this one would repeat so much that it cannot be shown. States are trees; tables may
-- share what is in them.
local function repeatsTooMuch(value)
  local known = { fields = 0 }
  return treeSize(value, known, 1) - known.fields > MOST_REPEATED
end

local function shortened(text)
  local ending, lines = 0, 0
  repeat
    ending, lines = text:find("\n", ending + 1, true), lines + 1
  until not ending or lines == MOST_LINES
  local kept = math.min(ending or #text, MOST_BYTES)
  if kept == #text then return text end
  -- Moves the cut to the beginning of a UTF-8 character.
  while kept > 0 and text:byte(kept + 1) & 0xC0 == 0x80 do kept = kept - 1 end
  return ("%s… (%d bytes more)"):format(text:sub(1, kept), #text - kept)
end

local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', function(byte)
    if byte == "\n" then return "\\n" end
    if byte == "\t" then return "\\t" end
    if byte == '"' or byte == "\\" then return "\\" .. byte end
    return ("\\x%02X"):format(byte:byte())
  end) .. '"'
end

local function sortedKeys(value)
  local keys = {}
  for key in next, value do keys[#keys + 1] = key end
  table.sort(keys, function(a, b)
    local ofA, ofB = type(a), type(b)
    if ofA ~= ofB then return ofA < ofB end
    if ofA == "number" or ofA == "string" then return a < b end
    return tostring(a) < tostring(b)
  end)
  return keys
end

local dump

local function dumpKey(key, levels, outer)
  if type(key) == "string" and key:match("^[%a_][%w_]*$") then return key end
  return "[" .. dump(key, levels, outer, "") .. "]"
end

local function dumpTable(value, levels, outer, indent)
  if outer[value] then return "<a table around this one>" end
  if next(value) == nil then return "{}" end
  if levels == 0 or outer.count == MOST_TABLES then return "{ … }" end
  outer[value], outer.count = true, (outer.count or 0) + 1
  local inner, lines, count = indent .. "  ", {}, 0
  for _, key in ipairs(sortedKeys(value)) do
    count = count + 1
    if count > MOST_LINES then
      lines[count] = inner .. "…"
      break
    end
    local text = dump(value[key], levels - 1, outer, inner)
    lines[count] = inner .. (key == count and "" or dumpKey(key, levels - 1, outer) .. " = ") .. text .. ","
  end
  outer[value] = nil
  return "{\n" .. table.concat(lines, "\n") .. "\n" .. indent .. "}"
end

function dump(value, levels, outer, indent)
  if type(value) == "string" then return quoted(value) end
  if type(value) ~= "table" or compare.hasText(value) then return native.errorText(value) or tostring(value) end
  return dumpTable(value, levels, outer, indent)
end

--- Returns the value's text, in Lua syntax if possible, of at most `MOST_LINES` lines and
--- `MOST_BYTES` bytes. `levels` bounds the depth only of values that are not values of state, or that repeat too much:
--- tables nested deeper are written as `{ … }`.
function compare.show(value, levels)
  local text = not (type(value) == "table" and metatable(value)) and not repeatsTooMuch(value) and format(value)
  return shortened(text or dump(value, levels, {}, ""))
end

-- Returns the path to the first field that differs, and the values on both sides.
local function firstDifference(expected, actual, path, pairsSeen)
  if type(expected) ~= "table" or type(actual) ~= "table" or isKnown(pairsSeen, expected, actual) then
    return path, expected, actual
  end
  for _, side in ipairs { expected, actual } do
    for _, key in ipairs(sortedKeys(side)) do
      if not compare.same(expected[key], actual[key]) then
        local isName = type(key) == "string" and key:match("^[%a_][%w_]*$")
        local step = isName and "." .. key or "[" .. dump(key, 1, {}, "") .. "]"
        return firstDifference(expected[key], actual[key], path .. step, pairsSeen)
      end
    end
  end
  return path, expected, actual
end

--- Returns how two tables differ, or nil if they do not. If both are values of state, the text has
--- lines with `-` (expected) and `+` (actual), unless tables in them are repeated too often; else it describes the
--- first field that differs.
function compare.difference(expected, actual)
  if type(expected) ~= "table" or type(actual) ~= "table" then return nil end
  local text = not repeatsTooMuch(expected) and not repeatsTooMuch(actual) and native.diff(expected, actual)
  if text and text ~= "" then return "(- expected, + actual)\n" .. shortened(text) end
  local path, a, b = firstDifference(expected, actual, "", {})
  if path == "" then return nil end
  return ("at %s: expected %s, got %s"):format(path, compare.show(a, 1), compare.show(b, 1))
end

return compare
