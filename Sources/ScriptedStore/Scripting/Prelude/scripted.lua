-- The module `scripted`: features, reducers and their operators, and the effects that a handler may
-- return. A reducer is described by a table, its description; the host compiles descriptions into a
-- tree.
--
-- 1. Each module gets its own copy of this table, so that a module cannot change the copy of
--    another.
-- 2. Scripts hold reducers and never their descriptions, so that a script cannot change what a
--    reducer is.
-- 3. Functions that scripts call are wrapped by `native.entry`, so that `native.here` finds the
--    script's line (see `lines.lua`).

local native, list, effect, lines, defineSharing, defineOperators, definePresentation = ...
local here, fail = lines.here, lines.fail

local descriptions = native.weakKeys()
native.keepDescriptions(descriptions)

local copy = native.copy

-- ---- Reducers -----------------------------------------------------------------------------------

-- Returns the end of a message about an unknown name: the most similar key of `known`, or nothing
-- if none is similar. Also used by chunks of the prelude that are loaded later.
function native.suggestion(name, known)
  local names = {}
  for key in pairs(known) do names[#names + 1] = key end
  local nearest = native.nearest(tostring(name), names)
  return nearest and ("; did you mean '%s'?"):format(nearest) or ""
end

-- As `suggestion`, for the few names of options and fields: if none is similar, all are listed.
function native.nameHint(name, known)
  local nearest = native.suggestion(name, known)
  if nearest ~= "" then return nearest end
  local names = {}
  for key in pairs(known) do names[#names + 1] = key end
  table.sort(names)
  return "; it has " .. table.concat(names, ", ")
end

local suggestion, nameHint = native.suggestion, native.nameHint
local sharing = defineSharing(native, lines)

-- Makes a name that is not there raise an error at its line instead of being nil. `remedy(key)` is what to write for a
-- name of other languages, or nil.
local function strict(functions, name, remedy)
  return setmetatable(functions, {
    __metatable = false,
    __index = function(_, key)
      local better = remedy and remedy(key)
      fail("%s has no '%s'%s", name, tostring(key), better and "; " .. better or suggestion(key, functions))
    end,
  })
end

-- What `scripted.list` calls what other languages have under these names.
local LIST_NAMES = {
  contains = "any", includes = "any", some = "any", every = "all", firstIndex = "indexOf", findIndex = "indexOf",
  removeWhere = "removeAll", sorted = "sort",
}

local function listRemedy(name)
  if LIST_NAMES[name] then return ("write 'scripted.list.%s'"):format(LIST_NAMES[name]) end
  return native.listRemedy(name)
end

local operators = {}
-- The functions of a reducer that are called with a dot, such as `Feature.run(…)`. The chunk
-- `operators` returns them.
local bound = {}
local Reducer = {}

-- Raises for a name that a reducer does not have, with the nearest of its fields, functions and
-- operators.
local function failUnknown(key)
  local known = copy(operators)
  for name in pairs(bound) do known[name] = true end
  for _, name in ipairs { "name", "initial", "actions" } do known[name] = true end
  fail("a reducer has no '%s'%s", tostring(key), suggestion(key, known))
end

function Reducer.__index(reducer, key)
  local description = descriptions[reducer]
  if key == "name" then return description.name end
  if key == "initial" then return description.initial end
  if key == "actions" then return description.actions end
  if bound[key] then
    description.bound = description.bound or {}
    description.bound[key] = description.bound[key]
      or native.entry(function(...) return bound[key](reducer, ...) end)
    return description.bound[key]
  end
  local operator = operators[key]
  if operator == nil then failUnknown(key) end
  lines.record(description, key)
  return operator
end

function Reducer.__newindex(_, key)
  fail("a reducer cannot be changed (field '%s'); operators return new ones", tostring(key))
end

-- The metatable references the description as well. If only the weak table did, the garbage
-- collector would traverse that table again for each link in a chain of reducers.
local function reducerOf(description)
  local reducer = setmetatable({}, {
    __name = "reducer", __metatable = false, description = description,
    __index = Reducer.__index, __newindex = Reducer.__newindex,
  })
  descriptions[reducer] = description
  return reducer
end

local function isReducer(value) return value ~= nil and descriptions[value] ~= nil end

-- A function that returns a reducer is accepted wherever a reducer is.
local function checkReducer(value, position, name)
  if not isReducer(value) and type(value) ~= "function" then
    fail("bad argument #%d to '%s' (reducer expected, got %s)", position, name, type(value))
  end
end

local function checkFunction(value, position, name)
  if type(value) ~= "function" then
    fail("bad argument #%s to '%s' (function expected, got %s)", position, name, type(value))
  end
end

local function checkString(value, what)
  if type(value) ~= "string" or value == "" then
    fail("%s must be a string, not %s", what, value == "" and "empty" or type(value))
  end
end

-- ---- Building actions ---------------------------------------------------------------------------

-- Collects the action names of a reducer's domain in `names`. The value is "own" for an action of a
-- feature, "case" for a case, and else the kind of the operator.
local function collectNames(description, names)
  if description.binding or description.kind == "binding" then names.binding = "own" end
  if description.kind == "feature" then
    for pattern in pairs(description.on) do
      local name = pattern:match("^[^%.%[]+")
      if name then names[name] = names[name] or "own" end
    end
    for _, name in ipairs(description.listed) do names[name] = names[name] or "own" end
  elseif description.kind == "combine" then
    for _, reducer in ipairs(description.reducers) do
      if isReducer(reducer) then collectNames(descriptions[reducer], names) end
    end
  elseif description.kind == "cases" then
    for _, case in ipairs(description.cases) do names[case.name] = "case" end
  else
    if description.action then names[description.action] = description.kind end
    if isReducer(description.base) then collectNames(descriptions[description.base], names) end
  end
  return names
end

-- Returns the function `Feature.actions.<name>`, which builds an action.
local function builder(name, kind)
  if kind == "own" then return native.entry(function(payload) return native.action(name, payload) end) end
  if kind == "forEach" then
    return native.entry(function(id, action, payload)
      if id == nil then fail("the action '%s' needs the id of an element", name) end
      return { type = name, id = id, action = native.action(action, payload) }
    end)
  end
  if kind == "stack" then
    return native.entry(function(id, action, payload)
      if id == nil then fail("the action '%s' needs the id of an element, or 'push' or 'popFrom'", name) end
      if type(id) == "table" or id == "push" or id == "popFrom" then
        return { type = name, action = native.action(id, action) }
      end
      return { type = name, id = id, action = native.action(action, payload) }
    end)
  end
  return native.entry(function(action, payload) return { type = name, action = native.action(action, payload) } end)
end

local function actionsOf(description)
  local names
  return setmetatable({}, {
    __name = "actions",
    __metatable = false,
    __index = function(_, name)
      names = names or collectNames(description, {})
      local kind = names[name]
      if kind == nil then
        fail("%s has no action '%s'%s", description.name or "this reducer", tostring(name), suggestion(name, names))
      end
      return builder(name, kind)
    end,
    __newindex = function() fail("the actions of a reducer cannot be changed") end,
  })
end

-- ---- Features -----------------------------------------------------------------------------------

local FIELDS = {
  name = "string", state = "table", on = "table", reduce = "function", actions = "table",
  dependencies = "table", shared = "table", binding = "boolean", version = "number", migrate = "function",
  reload = "string", view = "function",
}

-- What fields are called elsewhere.
local FIELD_NAMES = { initialState = "state", reducers = "on", handlers = "on" }

-- Raises for all fields that a feature does not have, in the order of their names.
local function checkFieldNames(definition)
  local unknown = {}
  for key in pairs(definition) do
    if FIELDS[key] == nil then unknown[#unknown + 1] = tostring(key) end
  end
  if #unknown == 0 then return end
  table.sort(unknown)
  local known = ""
  for position, key in ipairs(unknown) do
    local hint = FIELD_NAMES[key] and ("; did you mean '%s'?"):format(FIELD_NAMES[key]) or suggestion(key, FIELDS)
    if hint == "" then known = nameHint(key, FIELDS) end
    unknown[position] = ("'%s'"):format(key) .. (#unknown == 1 and hint or hint:gsub("^; (.*)", " (%1)"))
  end
  fail("scripted.feature has no field %s%s", table.concat(unknown, ", "), known)
end

local function checkFields(definition)
  checkFieldNames(definition)
  for key, value in pairs(definition) do
    if type(value) ~= FIELDS[key] then
      fail("the field '%s' of scripted.feature must be a %s, not a %s", key, FIELDS[key], type(value))
    end
  end
end

-- Checks the fields `version`, `migrate` and `reload`.
local function checkReload(definition)
  local version, reload = definition.version, definition.reload
  if version ~= nil and (math.type(version) ~= "integer" or version < 1) then
    fail("the field 'version' of scripted.feature must be an integer of 1 or more, not %s", tostring(version))
  end
  if reload ~= nil and reload ~= "cancel" and reload ~= "finish" then
    fail("the field 'reload' of scripted.feature must be \"cancel\" or \"finish\", not \"%s\"", reload)
  end
  if definition.name == nil and (version or definition.migrate or reload) then
    fail("a feature with a version, a migration or `reload` needs a name, by which it is known again")
  end
end

local function checkHandlers(on)
  for pattern, handler in pairs(on) do
    if type(pattern) ~= "string" then
      fail("a key of `on` must be an action's path, not a %s", type(pattern))
    end
    if type(handler) == "userdata" and handler ~= native.null then
      fail("the handler of '%s' must be a function, not an effect; write function() return effect.send(…) end", pattern)
    end
    if type(handler) ~= "function" then
      fail("the handler of '%s' must be a function, not a %s", pattern, type(handler))
    end
    local reason = native.checkPattern(pattern)
    if reason then fail("%s", reason) end
  end
end

-- Checks and copies the list of names in `actions` or `dependencies`.
local function listedNames(definition, field)
  local listed = {}
  for position, name in pairs(definition[field] or {}) do
    if math.type(position) ~= "integer" then
      fail("`%s` is a list of names: %s = { \"%s\" }", field, field, tostring(position))
    end
    checkString(name, ("a name in `%s`"):format(field))
    listed[#listed + 1] = name
  end
  return listed
end

local function feature(definition)
  if type(definition) ~= "table" then
    fail("bad argument #1 to 'scripted.feature' (table expected, got %s)", type(definition))
  end
  checkFields(definition)
  checkReload(definition)
  local defaults = native.checkState(definition.state or {})
  local on = {}
  for pattern, handler in pairs(definition.on or {}) do on[pattern] = handler end
  checkHandlers(on)
  local sharedFields = sharing.fields(definition)

  native.declareFeature(
    definition.name, native.here(), definition.version, definition.reload == "cancel", on, defaults, #sharedFields > 0)
  local description = {
    kind = "feature",
    name = definition.name,
    origin = here("feature"),
    on = on,
    reduce = definition.reduce,
    migrate = definition.migrate,
    view = definition.view,
    binding = definition.binding,
    listed = listedNames(definition, "actions"),
    dependencies = listedNames(definition, "dependencies"),
    defaults = defaults,
    shared = sharedFields,
  }
  description.actions = actionsOf(description)
  description.initial = native.entry(function(overrides)
    if isReducer(overrides) then fail("call 'initial' with a dot: Feature.initial()") end
    if overrides ~= nil and type(overrides) ~= "table" then
      fail("bad argument #1 to 'initial' (table expected, got %s)", type(overrides))
    end
    local state = native.snapshot(defaults)
    if overrides == nil then return state end
    -- Copies `overrides`, so that later changes to the argument do not change the state.
    for key, value in pairs(native.checkState(overrides)) do state[key] = value end
    return state
  end)
  return reducerOf(description)
end

-- ---- Operators ----------------------------------------------------------------------------------

-- What the chunks `operators` and `presentation` need.
local shared = {
  operators = operators, descriptions = descriptions, here = here, fail = fail,
  reducerOf = reducerOf, isReducer = isReducer, actionsOf = actionsOf, collectNames = collectNames,
  checkReducer = checkReducer, checkFunction = checkFunction, checkString = checkString,
}
local more = defineOperators(native, shared)
bound = more.bound
local presentation = definePresentation(native, shared)
for name, operator in pairs(operators) do
  operators[name] = lines.method(name, operator, descriptions)
end

-- ---- Dependencies -------------------------------------------------------------------------------

local DEPENDENCY_FIELDS = { name = true, live = true, preview = true, test = true }
-- The origin of each dependency, and the copy of `scripted` (so, the module) that declared it.
local declared = {}

-- scripted.dependency { name, live, preview, test }: declares a dependency and returns its name.
local function declareDependency(module, definition)
  if type(definition) ~= "table" then
    fail("bad argument #1 to 'scripted.dependency' (table expected, got %s)", type(definition))
  end
  for key in pairs(definition) do
    if not DEPENDENCY_FIELDS[key] then
      fail("scripted.dependency has no field '%s'%s", tostring(key), nameHint(key, DEPENDENCY_FIELDS))
    end
  end
  local name, origin = definition.name, native.here()
  checkString(name, "the field 'name' of scripted.dependency")
  if definition.live == nil then fail("the dependency '%s' needs a live value", name) end
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
  feature = native.entry(feature),
  reduce = native.entry(function(fn)
    checkFunction(fn, 1, "scripted.reduce")
    return reducerOf { kind = "feature", origin = here("reduce"), on = {}, reduce = fn, listed = {} }
  end),
  empty = reducerOf { kind = "combine", reducers = {}, origin = "empty" },
  null = native.null,
  isNull = function(value) return value == native.null end,
  array = native.array,
  object = native.object,
  replace = native.replace,
  snapshot = native.snapshot,
  equals = native.equals,
  action = native.actionWithIDs,
  cases = presentation.cases,
  ignored = presentation.ignored,
  ephemeral = presentation.ephemeral,
  shared = sharing.keys,
}
for name, fn in pairs(more.module) do scripted[name] = native.entry(fn) end

local ToBeClosed = { __close = function(value) value.close() end }

-- Reports a call that raised an error.
local Recording = {
  __close = function(recording, problem)
    if problem ~= nil then recording.finish(recording.call, false, problem) end
  end,
}

local function recordResults(finish, call, ...)
  finish(call, true, ...)
  return ...
end

return {
  -- A reducer of the host; `number` is its index among the host's reducers.
  host = function(number, name)
    return reducerOf { kind = "host", number = number, name = name, origin = name }
  end,
  -- The keeper of the custom key with this description; `make` is the function that keeper.lua returns.
  keeper = function(make, key, isIdle) return make(key, sharing.whole(key), sharing.status(key), isIdle) end,
  toBeClosed = function(close) return setmetatable({ close = close }, ToBeClosed) end,
  -- Returns a function that calls `begin()`, then `fn`, then `finish(call, isWell, …)`. `begin`
  -- returns the call, and, if it already knows the outcome: true and the results, or false and the
  -- error. Then `fn` is not called.
  recording = function(fn, begin, finish)
    return native.entry(function(...)
      local known = table.pack(begin())
      if known[2] then return table.unpack(known, 3, known.n) end
      if known[2] == false then error(known[3], 0) end
      local call = known[1]
      local recording <close> = setmetatable({ call = call, finish = finish }, Recording) -- luacheck: ignore 211
      return recordResults(finish, call, fn(...))
    end)
  end,
  describe = function(reducer) return descriptions[reducer] end,
  -- A module's own copy of `scripted`.
  module = function()
    local own = copy(scripted)
    own.effect, own.list = strict(copy(effect), "scripted.effect"), strict(copy(list), "scripted.list", listRemedy)
    own.dependency = native.entry(function(definition) return declareDependency(own, definition) end)
    own.json = strict({ encode = native.jsonEncode, decode = native.jsonDecode }, "scripted.json")
    return strict(own, "scripted")
  end,
}
