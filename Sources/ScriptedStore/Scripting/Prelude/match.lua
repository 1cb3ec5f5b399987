-- The matchers of luassert 1.9: `match.…`. A matcher stands for an argument that is not known
-- exactly.

local _, need = ...
local compare, vocabulary, luassert = need "compare", need "vocabulary", need "luassert"
local checkCount = luassert.checkCount

-- Calling a matcher with a value returns whether the value fits. `name` is its text in messages.
local Matcher = {
  __call = function(matcher, value) return not not matcher.fits(value) == matcher.mod end,
  __tostring = function(matcher) return matcher.name end,
}

compare.neverCopy(Matcher)

local function isMatcher(value) return getmetatable(value) == Matcher end

local function nameOf(state, entry, arguments)
  local shown = {}
  for i = 1, arguments.n do shown[i] = luassert.show(arguments[i]) end
  return ("match.%s%s(%s)"):format(state.mod and "is_" or "is_not_", entry.name, table.concat(shown, ", "))
end

local function perform(state, entry, ...)
  local arguments = table.pack(...)
  return setmetatable({
    fits = entry.callback(state, arguments, 1),
    mod = state.mod,
    name = nameOf(state, entry, arguments),
    word = entry.name,
    arguments = arguments,
    isRef = state.isRef,
  }, Matcher)
end

local match = {
  _ = setmetatable({ fits = function() return true end, mod = true, name = "match._" }, Matcher),
  is_matcher = isMatcher,
  is_ref_matcher = function(value) return isMatcher(value) and value.isRef or false end,
}

local phrases = vocabulary.phrases("match", "matcher", function(state)
  return { mod = not state or state.mod }
end, perform)

local function add(names, callback)
  for _, name in ipairs(names) do vocabulary.register("matcher", name, callback) end
end

for name, isOfKind in pairs(compare.kinds) do add({ name }, function() return isOfKind end) end

add({ "equal", "equals" }, function(_, arguments)
  checkCount(arguments, 1, "match.equal")
  return function(value) return value == arguments[1] end
end)

add({ "same" }, function(_, arguments)
  checkCount(arguments, 1, "match.same")
  return function(value) return compare.same(value, arguments[1]) end
end)

local isObject = { table = true, ["function"] = true, thread = true, userdata = true }

-- Matches the same table that was passed, not a copy of its contents.
add({ "ref" }, function(state, arguments)
  checkCount(arguments, 1, "match.ref")
  if not isObject[type(arguments[1])] then
    luassert.raise("match.ref takes a table, got a " .. type(arguments[1]))
  end
  state.isRef = true
  return function(value) return rawequal(value, arguments[1]) end
end)

add({ "match", "matches" }, function(_, arguments)
  checkCount(arguments, 1, "match.matches")
  local pattern, first, isPlain = arguments[1], arguments[2], arguments[3]
  if type(pattern) ~= "string" then
    luassert.raise(("bad argument #1 to match.matches (pattern expected, got %s)"):format(type(pattern)))
  end
  if first ~= nil and not tonumber(first) then
    luassert.raise(("bad argument #2 to match.matches (number expected, got %s)"):format(type(first)))
  end
  return function(value)
    local text = compare.textOf(value)
    return text and text:find(pattern, first or 1, isPlain) ~= nil
  end
end)

add({ "near" }, function(_, arguments)
  checkCount(arguments, 2, "match.near")
  local expected, tolerance = tonumber(arguments[1]), tonumber(arguments[2])
  if not expected or not tolerance then luassert.raise("match.near takes two numbers") end
  return function(value)
    value = tonumber(value)
    return value and compare.isNear(value, expected, tolerance)
  end
end)

add({ "unique" }, function(_, arguments)
  local isDeep = arguments[1]
  return function(value) return type(value) == "table" and compare.isUnique(value, isDeep) end
end)

-- ---- Combinations -------------------------------------------------------------------------------

-- Adds a matcher whose arguments are matchers. `decide(count, all)` gets the number of arguments
-- that fit and the number of all.
local function ofSeveral(name, decide)
  add({ name }, function(_, arguments)
    checkCount(arguments, 1, "match." .. name)
    for i = 1, arguments.n do
      if not isMatcher(arguments[i]) then
        luassert.raise(("match.%s takes matchers, argument #%d is a %s"):format(name, i, type(arguments[i])))
      end
    end
    return function(value)
      local count = 0
      for i = 1, arguments.n do
        if arguments[i](value) then count = count + 1 end
      end
      return decide(count, arguments.n)
    end
  end)
end

ofSeveral("all_of", function(count, all) return count == all end)
ofSeveral("any_of", function(count) return count > 0 end)
ofSeveral("none_of", function(count) return count == 0 end)

return setmetatable(match, {
  __index = function(_, word) return phrases[word] end,
})
