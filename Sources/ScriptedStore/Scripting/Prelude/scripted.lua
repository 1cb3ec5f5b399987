-- The module `scripted`: features, reducers and their operators, and the effects that a handler may return.
--
-- Each module gets its own copy of this table, so that a module cannot change the copy of another.

local native, need = ...
local lines, checks, reducers = need "lines", need "checks", need "reducers"
local fail = lines.fail

-- ---- Dependencies -------------------------------------------------------------------------------

local DEPENDENCY_FIELDS = { name = true, live = true, preview = true, test = true, writes = true }
-- The origin of each dependency, and the copy of `scripted` (so, the module) that declared it.
local declared = {}

-- scripted.dependency { name, live, preview, test, writes }: declares a dependency and returns its name.
local function declareDependency(module, definition)
  checks.argument(definition, "table", 1, "scripted.dependency")
  checks.fieldNames(definition, DEPENDENCY_FIELDS, "scripted.dependency")
  local name, origin = definition.name, native.here()
  checks.text(name, "the field 'name' of scripted.dependency")
  if definition.live == nil then fail("the dependency '%s' needs a live value", name) end
  if definition.writes ~= nil and type(definition.writes) ~= "boolean" then
    fail("the field 'writes' of the dependency '%s' must be true or false", name)
  end
  local other = declared[name]
  -- A module that raised an error after this call is loaded again, with another copy of `scripted`,
  -- and may declare the same dependency from the same line.
  if other and (other.origin ~= origin or other.module == module) then
    fail("the dependency '%s' is declared twice: at %s and at %s", name, other.origin, origin)
  end
  native.declareDependency(name, definition)
  declared[name] = { origin = origin, module = module }
  return name
end

-- ---- The module ---------------------------------------------------------------------------------

local scripted = {
  feature = need("features").feature,
  reduce = native.entry(function(fn)
    checks.argument(fn, "function", 1, "scripted.reduce")
    return reducers.of { kind = "reduce", origin = lines.here("reduce"), on = {}, reduce = fn, listed = {} }
  end),
  empty = reducers.of { kind = "combine", reducers = {}, origin = "empty" },
  null = native.null,
  isNull = function(value) return value == native.null end,
  array = native.array,
  object = native.object,
  replace = native.replace,
  snapshot = native.snapshot,
  equals = native.equals,
  action = native.actionWithIDs,
  ignored = reducers.of { kind = "ignored", origin = "ignored" },
  ephemeral = reducers.of { kind = "ephemeral", origin = "ephemeral" },
  shared = need("sharing").keys,
}
for name, fn in pairs(need("operators").module) do scripted[name] = fn end

-- What `scripted.list` calls what other languages have under these names.
local LIST_NAMES = {
  contains = "any", includes = "any", some = "any", every = "all", firstIndex = "indexOf", findIndex = "indexOf",
  removeWhere = "removeAll", sorted = "sort",
}

local function listRemedy(name)
  if LIST_NAMES[name] then return ("write 'scripted.list.%s'"):format(LIST_NAMES[name]) end
  return native.listRemedy(name)
end

local ToBeClosed = { __close = function(value) value.close() end }

-- Reports a call that raised an error.
local Recording = {
  __close = function(recording, problem)
    if problem ~= nil then recording.finish(recording.call, false, problem) end
  end,
}

-- What scripts get in place of a value that can be called: `fn`, or for a table one that calls `fn` and has its fields.
local function inPlaceOf(value, fn)
  if type(value) == "function" then return fn end
  return setmetatable({}, {
    __call = function(_, ...) return fn(...) end, __index = value, __newindex = value,
    -- A spy is known by its metatable.
    __metatable = getmetatable(value),
  })
end

local function recordResults(finish, call, ...)
  finish(call, true, ...)
  return ...
end

return {
  -- A reducer of the host; `number` is its index among the host's reducers.
  host = function(number, name)
    return reducers.of { kind = "host", number = number, name = name, origin = name }
  end,
  toBeClosed = function(close) return setmetatable({ close = close }, ToBeClosed) end,
  -- Returns `fn` so that a call of it calls `begin()`, then `fn`, then `finish(call, isWell, …)`. `begin`
  -- returns the call, and, if it already knows the outcome: true and the results, or false and the
  -- error. Then `fn` is not called.
  recording = function(fn, begin, finish)
    return inPlaceOf(fn, native.entry(function(...)
      local known = table.pack(begin())
      if known[2] then return table.unpack(known, 3, known.n) end
      if known[2] == false then error(known[3], 0) end
      local call = known[1]
      local recording <close> = setmetatable({ call = call, finish = finish }, Recording) -- luacheck: ignore 211
      return recordResults(finish, call, fn(...))
    end))
  end,
  describe = function(reducer) return reducers.descriptions[reducer] end,
  -- A module's own copy of `scripted`.
  module = function()
    local own = checks.copy(scripted)
    own.effect = checks.strict(checks.copy(need "effect"), "scripted.effect")
    own.list = checks.strict(checks.copy(need "list"), "scripted.list", listRemedy)
    own.dependency = native.entry(function(definition) return declareDependency(own, definition) end)
    own.json = checks.strict({ encode = native.jsonEncode, decode = native.jsonDecode }, "scripted.json")
    return checks.strict(own, "scripted")
  end,
}
