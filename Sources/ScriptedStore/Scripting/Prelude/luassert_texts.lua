-- The texts of luassert 1.9, for specs of plain Lua libraries that compare them.
--
-- A failed assertion has two texts: our own for the report, and luassert's for Lua code that catches
-- the failure and looks at it. Luassert shows the actual value first, which is its assertions'
-- second argument.

local native, need = ...
local globals, isMatcher, types = native.globals, need("match").is_matcher, need("compare").types
local debug, tostring = globals.debug, globals.tostring

local texts = {}

-- ---- Lists of values ----------------------------------------------------------------------------

local lists = setmetatable({}, { __mode = "k" })

--- Returns a list of arguments or results with its number in `n`, which is shown as such.
function texts.list(...)
  local list = table.pack(...)
  lists[list] = true
  return list
end

-- ---- Values -------------------------------------------------------------------------------------

local function numberText(value)
  if value ~= value then return "NaN" end
  if value == math.huge then return "Inf" end
  if value == -math.huge then return "-Inf" end
  local text = ("%.20g"):format(value)
  if math.type(value) == "float" and not text:find("[%.,]") then text = text:gsub("%d+", "%0.0", 1) end
  return text
end

local function keyText(key) return type(key) == "number" and numberText(key) or tostring(key) end

local ranks = { number = 1, boolean = 2, string = 3, table = 4, ["function"] = 5, userdata = 6, thread = 7 }

local function sortedKeys(value)
  local keys, length = {}, #value
  for key in next, value do keys[#keys + 1] = key end
  local function rank(key)
    local isElement = math.type(key) == "integer" and key >= 1 and key <= length
    return isElement and 0 or ranks[type(key)]
  end
  table.sort(keys, function(a, b)
    local ofA, ofB = rank(a), rank(b)
    if ofA ~= ofB then return ofA < ofB end
    if type(a) == "string" or type(a) == "number" then return a < b end
    return a == true and b == false
  end)
  return keys
end

-- Escape codes by name.
local colors = { black = 30, red = 31, green = 32, yellow = 33, blue = 34, magenta = 35, cyan = 36, white = 37 }

-- The sign before a key on the way to the first difference.
local function sign(parameters)
  local text, color = parameters.TableErrorHighlightCharacter or "", colors[parameters.TableErrorHighlightColor]
  return text, color and text ~= "" and ("\27[%dm%s\27[0m"):format(color, text) or text
end

-- The address of a table, also of one with `__tostring`.
local function address(value)
  local meta = debug.getmetatable(value)
  if meta == nil then return tostring(value) end
  if meta.__metatable ~= nil then return "table" end
  debug.setmetatable(value, nil)
  local text = tostring(value)
  debug.setmetatable(value, meta)
  return text
end

-- A text shows no more tables: with a level of -1 there would be no bound for tables that share what is in them.
local MOST_TABLES = 10000

local function tableText(value, parameters, crumbs)
  local most, open, count = parameters.TableFormatLevel, {}, 0
  local mark, coloredMark = sign(parameters)

  local function text(inner, level, isMarked)
    if parameters.TableFormatShowRecursion and open[inner] then return "{ ... recursive }" end
    if next(inner) == nil then return "{ }" end
    if level > most and most >= 0 or count == MOST_TABLES then return "{ ... more }" end
    count = count + 1
    local wasOpen = open[inner]
    open[inner] = true
    local lines = { "{" }
    for _, key in ipairs(sortedKeys(inner)) do
      local field = inner[key]
      local isOnWay = isMarked and key == crumbs[#crumbs - level + 1]
      if type(field) == "table" then
        field = text(field, level + 1, isOnWay)
      elseif type(field) == "string" then
        field = "'" .. field .. "'"
      else
        field = keyText(field)
      end
      local indent = (" "):rep(level * 2 - (isOnWay and #mark or 0))
      lines[#lines + 1] = ("%s%s[%s] = %s"):format(indent, isOnWay and coloredMark or "", keyText(key), field)
    end
    open[inner] = wasOpen
    return table.concat(lines, "\n") .. " }"
  end

  return ("(%s) %s"):format(address(value), text(value, 1, true))
end

--- Returns the text of a value. `crumbs` are the keys to a difference inside of it, innermost first.
--- `show` returns the texts of values in lists.
function texts.value(value, parameters, crumbs, show)
  local kind = type(value)
  if value == nil then return "(nil)" end
  if kind == "string" then return "(string) '" .. value .. "'" end
  if kind == "number" then return "(number) " .. numberText(value) end
  if kind == "boolean" then return "(boolean) " .. tostring(value) end
  if kind == "function" then
    local info = debug.getinfo(value, "S")
    return ("%s @ line %d in %s"):format(tostring(value), info.linedefined, info.source)
  end
  if kind ~= "table" then return ("(%s) '%s'"):format(kind, tostring(value)) end
  local prefix, list = "(values list) (", lists[value] and value
  if isMatcher(value) then
    if not value.word then return "(matcher) _ *anything*" end
    prefix, list = ("(matcher) %s%s("):format(value.mod and "is." or "no.", value.word), value.arguments
  end
  if not list then return tableText(value, parameters, crumbs or {}) end
  local shown = {}
  for i = 1, list.n do shown[i] = show(list[i]) end
  return prefix .. table.concat(shown, ", ") .. ")"
end

-- Returns the keys to the first difference of two tables, innermost first; nil if there is none.
local function crumbsBetween(a, b, seen)
  if type(a) ~= "table" or type(b) ~= "table" then return a ~= b and {} or nil end
  if rawequal(a, b) or seen[a] then return nil end
  seen[a] = true
  for key, value in next, a do
    if b[key] == nil then return { key } end
    local crumbs = crumbsBetween(value, b[key], seen)
    if crumbs then
      crumbs[#crumbs + 1] = key
      return crumbs
    end
  end
  for key in next, b do
    if a[key] == nil then return { key } end
  end
end

-- ---- Messages -----------------------------------------------------------------------------------

-- What a message shows: `values`, of which those whose position is in `isText` are text already.
local function arguments(values, isText) return { values = values, isText = isText or {} } end

local function swapped(list) return arguments({ list[2], list[1], n = 2 }) end

local function ofType(name)
  return function(list) return arguments({ list[1], "type " .. name, n = 2 }, { [2] = true }) end
end

local function constant(value)
  return function(list) return arguments({ list[1], value, n = 2 }) end
end

local function first(list) return arguments({ list[1], n = 1 }) end

local function ofError(list, state)
  local hasRaised, expected = state.hasRaised, list[2]
  local raised, wanted = state.raised, expected
  if not hasRaised then raised = "(no error)" end
  if expected == nil then wanted = "(error)" end
  return arguments({ raised, wanted, n = 2 }, { not hasRaised, expected == nil })
end

local function ofCalls(list, state)
  local count = list[1]
  -- "not called" is shown as called 0 times.
  local isNever = count == nil and not state.mod
  local built = arguments(
    { tostring(isNever and 0 or count or ">0"), tostring(#state.spy.calls), n = 2 }, { true, true })
  built.isPositive = isNever
  return built
end

-- Luassert shows the last call that fits, or else the last call; likewise for results.
local function ofValues(field)
  return function(list, state)
    local record = state.fitting or state.spy[field][#state.spy[field]]
    local expected = texts.list(table.unpack(list, 1, list.n))
    return arguments({ record and texts.list(table.unpack(record.vals, 1, record.vals.n)), expected, n = 2 })
  end
end

-- For each assertion the key of its messages, and a function of its arguments and its state that
-- returns what they show.
local rules = {
  equal = { "equals", swapped },
  same = { "same", function(list)
    local built = swapped(list)
    built.crumbs = crumbsBetween(list[1], list[2], {})
    return built
  end },
  ["true"] = { "same", constant(true) },
  ["false"] = { "same", constant(false) },
  truthy = { "truthy", first },
  falsy = { "falsy", first },
  near = { "near", function(list)
    return arguments({ list[2], list[1], tostring(list[3]), n = 3 }, { [3] = true })
  end },
  match = { "matches", swapped },
  unique = { "unique", first },
  error = { "error", ofError },
  error_matches = { "error", ofError },
  returned_arguments = { "returned_arguments", function(list)
    return arguments({ tostring(list[1]), tostring(list.n - 1), n = 2 }, { true, true })
  end },
  holes = { "array_holes", function(_, state) return arguments({ state.hole, n = 1 }) end },
  called = { "called", ofCalls },
  called_with = { "called_with", ofValues("calls") },
  returned_with = { "returned_with", ofValues("returnvals") },
}
for _, name in ipairs(types) do
  rules[name] = { "same", ofType(name) }
end
for name, opposite in pairs {
  at_least = "less_than", at_most = "more_than", more_than = "at_most", less_than = "at_least",
} do rules["called_" .. name] = { "called_" .. name, ofCalls, negative = "called_" .. opposite } end
for alias, name in pairs {
  equals = "equal", matches = "match", errors = "error", error_match = "error_matches",
  matches_error = "error_matches", match_error = "error_matches",
} do rules[alias] = rules[name] end

--- Returns the key of the message of a built-in assertion that has failed, and the texts in it.
--- `show(value, crumbs)` returns the text of a value. Returns nothing for other assertions.
function texts.message(state, name, list, show)
  local rule = rules[name]
  if not rule then return end
  local built = rule[2](list, state)
  local isPositive = state.mod or built.isPositive
  local key = rule[1] .. (isPositive and ".positive" or ".negative")
  if not isPositive and rule.negative then key = rule.negative .. ".positive" end
  local shown = { n = built.values.n }
  for i = 1, shown.n do
    local value = built.values[i]
    shown[i] = built.isText[i] and value or show(value, built.crumbs)
  end
  return "assertion." .. key, shown
end

-- The messages by the keys of `say`.
texts.said = {
  ["assertion.same.positive"] = "Expected objects to be the same.\nPassed in:\n%s\nExpected:\n%s",
  ["assertion.same.negative"] = "Expected objects to not be the same.\nPassed in:\n%s\nDid not expect:\n%s",
  ["assertion.equals.positive"] = "Expected objects to be equal.\nPassed in:\n%s\nExpected:\n%s",
  ["assertion.equals.negative"] = "Expected objects to not be equal.\nPassed in:\n%s\nDid not expect:\n%s",
  ["assertion.near.positive"] = "Expected values to be near.\nPassed in:\n%s\nExpected:\n%s +/- %s",
  ["assertion.near.negative"] = "Expected values to not be near.\nPassed in:\n%s\nDid not expect:\n%s +/- %s",
  ["assertion.matches.positive"] = "Expected strings to match.\nPassed in:\n%s\nExpected:\n%s",
  ["assertion.matches.negative"] = "Expected strings not to match.\nPassed in:\n%s\nDid not expect:\n%s",
  ["assertion.unique.positive"] = "Expected object to be unique:\n%s",
  ["assertion.unique.negative"] = "Expected object to not be unique:\n%s",
  ["assertion.error.positive"] = "Expected a different error.\nCaught:\n%s\nExpected:\n%s",
  ["assertion.error.negative"] = "Expected no error, but caught:\n%s",
  ["assertion.truthy.positive"] = "Expected to be truthy, but value was:\n%s",
  ["assertion.truthy.negative"] = "Expected to not be truthy, but value was:\n%s",
  ["assertion.falsy.positive"] = "Expected to be falsy, but value was:\n%s",
  ["assertion.falsy.negative"] = "Expected to not be falsy, but value was:\n%s",
  ["assertion.called.positive"] = "Expected to be called %s time(s), but was called %s time(s)",
  ["assertion.called.negative"] = "Expected not to be called exactly %s time(s), but it was.",
  ["assertion.called_at_least.positive"] = "Expected to be called at least %s time(s), but was called %s time(s)",
  ["assertion.called_at_most.positive"] = "Expected to be called at most %s time(s), but was called %s time(s)",
  ["assertion.called_more_than.positive"] = "Expected to be called more than %s time(s), but was called %s time(s)",
  ["assertion.called_less_than.positive"] = "Expected to be called less than %s time(s), but was called %s time(s)",
  ["assertion.called_with.positive"] = "Function was never called with matching arguments.\n"
    .. "Called with (last call if any):\n%s\nExpected:\n%s",
  ["assertion.called_with.negative"] = "Function was called with matching arguments at least once.\n"
    .. "Called with (last matching call):\n%s\nDid not expect:\n%s",
  ["assertion.returned_with.positive"] = "Function never returned matching arguments.\n"
    .. "Returned (last call if any):\n%s\nExpected:\n%s",
  ["assertion.returned_with.negative"] = "Function returned matching arguments at least once.\n"
    .. "Returned (last matching call):\n%s\nDid not expect:\n%s",
  ["assertion.returned_arguments.positive"] = "Expected %s results(s) to be returned, but got %s",
  ["assertion.returned_arguments.negative"] = "Expected not %s results(s) to be returned, but got %s",
  ["assertion.array_holes.positive"] = "Expected array to have holes, but none were found.\n",
  ["assertion.array_holes.negative"] = "Expected array to not have holes, but found a hole at index: %s\n",
}

return texts
