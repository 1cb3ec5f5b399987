-- What `require "scripted"` returns: features, reducers and their operators as descriptions, which the host compiles
-- into a tree, and the effects that a handler may return.
--
-- Each module gets its own copy of this table, so that none can change another's. The descriptions of reducers are kept
-- apart from the reducers, which scripts hold, so that nothing a script does to one changes what it is.

local native, list = ...

-- `operator at script:line`, for warnings.
local function here(operator) return operator .. " at " .. native.here() end

local descriptions = setmetatable({}, { __mode = "k" })

-- ---- Reducers ------------------------------------------------------------------------------------------------------

local operators = {}
local Reducer = { __name = "reducer", __metatable = false }

function Reducer.__index(reducer, key)
  local description = descriptions[reducer]
  if key == "name" then return description.name end
  if key == "initial" then return description.initial end
  if key == "actions" then return description.actions end
  return operators[key]
end

function Reducer.__newindex(_, key)
  error(("a reducer cannot be changed (field '%s'); operators return new ones"):format(tostring(key)), 2)
end

local function reducerOf(description)
  local reducer = setmetatable({}, Reducer)
  descriptions[reducer] = description
  return reducer
end

local function isReducer(value) return descriptions[value] ~= nil end

-- Where a reducer is taken, a function that returns one will do.
local function checkReducer(value, position, name)
  if not isReducer(value) and type(value) ~= "function" then
    error(("bad argument #%d to '%s' (reducer expected, got %s)"):format(position, name, type(value)), 3)
  end
end

local function checkString(value, what, level)
  if type(value) ~= "string" or value == "" then
    error(("%s must be a string, not %s"):format(what, value == "" and "empty" or type(value)), level + 1)
  end
end

-- ---- Building actions ----------------------------------------------------------------------------------------------

-- What is known of a reducer's own domain: names to "own" or to the kind of operator.
local function collectNames(description, names)
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
  elseif description.action then
    names[description.action] = description.kind
    if description.base then collectNames(descriptions[description.base], names) end
  end
  return names
end

local function builder(name, kind)
  if kind == "own" then return function(payload) return native.action(name, payload) end end
  if kind == "forEach" then
    return function(id, action, payload)
      return { type = name, id = id, action = native.action(action, payload) }
    end
  end
  return function(action, payload) return { type = name, action = native.action(action, payload) } end
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
        local known = {}
        for key in pairs(names) do known[#known + 1] = key end
        local nearest = native.nearest(tostring(name), known)
        error(("%s has no action '%s'%s"):format(description.name or "this reducer", tostring(name),
          nearest and ("; did you mean '%s'?"):format(nearest) or ""), 2)
      end
      return builder(name, kind)
    end,
    __newindex = function() error("the actions of a reducer cannot be changed", 2) end,
  })
end

-- ---- Features ------------------------------------------------------------------------------------------------------

local FIELDS = {
  name = "string", state = "table", on = "table", reduce = "function", actions = "table",
  dependencies = "table", binding = "boolean", version = "number", migrate = "function", reload = "string",
}
local LATER = {
  dependencies = "dependencies", binding = "bindings", version = "migration", migrate = "migration",
  reload = "hot reload",
}

local function checkFields(definition)
  for key, value in pairs(definition) do
    local expected = FIELDS[key]
    if expected == nil then
      local known = {}
      for name in pairs(FIELDS) do known[#known + 1] = name end
      local nearest = native.nearest(tostring(key), known)
      error(("scripted.feature has no field '%s'%s"):format(tostring(key),
        nearest and ("; did you mean '%s'?"):format(nearest) or ""), 3)
    end
    if type(value) ~= expected then
      error(("the field '%s' of scripted.feature must be a %s, not a %s"):format(key, expected, type(value)), 3)
    end
    local asks = type(value) == "table" and next(value) ~= nil or type(value) ~= "table" and value ~= false
    if LATER[key] and asks then
      error(("%s (the field '%s' of scripted.feature) are not part of this version"):format(LATER[key], key), 3)
    end
  end
end

local function checkHandlers(on)
  for pattern, handler in pairs(on) do
    if type(pattern) ~= "string" then
      error(("a key of `on` must be an action's path, not a %s"):format(type(pattern)), 3)
    end
    if type(handler) ~= "function" then
      error(("the handler of '%s' must be a function, not a %s"):format(pattern, type(handler)), 3)
    end
    local reason = native.checkPattern(pattern)
    if reason then error(reason, 3) end
  end
end

local function listedActions(actions)
  local listed = {}
  for _, name in ipairs(actions or {}) do
    checkString(name, "a name in `actions`", 3)
    listed[#listed + 1] = name
  end
  return listed
end

local function feature(definition)
  if type(definition) ~= "table" then
    error(("bad argument #1 to 'scripted.feature' (table expected, got %s)"):format(type(definition)), 2)
  end
  checkFields(definition)
  local isState, defaults = pcall(native.checkState, definition.state or {})
  if not isState then error(defaults, 2) end
  local on = {}
  for pattern, handler in pairs(definition.on or {}) do on[pattern] = handler end
  checkHandlers(on)

  local description = {
    kind = "feature",
    name = definition.name,
    origin = here("feature"),
    on = on,
    reduce = definition.reduce,
    listed = listedActions(definition.actions),
    defaults = defaults,
  }
  description.actions = actionsOf(description)
  function description.initial(overrides)
    if overrides ~= nil and type(overrides) ~= "table" then
      error(("bad argument #1 to 'initial' (table expected, got %s)"):format(type(overrides)), 2)
    end
    local state = native.snapshot(defaults)
    for key, value in pairs(overrides or {}) do state[key] = value end
    return state
  end
  return reducerOf(description)
end

-- ---- Operators -----------------------------------------------------------------------------------------------------

-- The action names that the operators on the way down to the feature have, with where they were made.
local function operatorNames(description, names)
  if description.kind == "combine" then
    for _, reducer in ipairs(description.reducers) do
      if isReducer(reducer) then operatorNames(descriptions[reducer], names) end
    end
  elseif description.action then
    names[description.action] = description.origin
    if description.base then operatorNames(descriptions[description.base], names) end
  end
  return names
end

-- A new reducer around `base` that keeps what the feature offers.
local function around(base, description)
  local inner = base and descriptions[base]
  if inner then
    local taken = operatorNames(inner, {})[description.action]
    if taken then
      error(("two operators have the action name '%s': %s and %s; give one another name with { action = \"…\" }")
        :format(description.action, taken, description.origin), 2)
    end
    description.base = base
    description.name, description.initial = inner.name, inner.initial
  end
  description.actions = actionsOf(description)
  return reducerOf(description)
end

local function lastSegment(key) return key:match("[^%.]+$") end

local function checkKey(key, name)
  checkString(key, ("the key of '%s'"):format(name), 3)
  if key:find("^%.") or key:find("%.%.") or key:find("%.$") then
    error(("the key '%s' of '%s' has an empty segment"):format(key, name), 3)
  end
end

local OPTIONS = { scope = { action = true }, forEach = { action = true, id = true } }

local function checkOptions(options, name)
  if options == nil then return {} end
  if type(options) ~= "table" then
    error(("the options of '%s' must be a table, not a %s"):format(name, type(options)), 3)
  end
  for key, value in pairs(options) do
    if not OPTIONS[name][key] then error(("'%s' has no option '%s'"):format(name, tostring(key)), 3) end
    checkString(value, ("the option '%s' of '%s'"):format(key, name), 3)
  end
  return options
end

local function scope(base, key, child, options)
  checkReducer(child, 2, "scope")
  options = checkOptions(options, "scope")
  local description = { kind = "scope", child = child, origin = here("scope") }
  if type(key) == "table" then
    if type(key.get) ~= "function" or type(key.set) ~= "function" then
      error("a scope by functions takes { get = function(state), set = function(state, childState) }", 2)
    end
    if options.action == nil then error("a scope by functions needs an action name: { action = \"…\" }", 2) end
    description.get, description.set = key.get, key.set
  else
    checkKey(key, "scope")
    description.key = key
  end
  description.action = options.action or lastSegment(key)
  return around(base, description)
end

function operators.scope(reducer, key, child, options) return scope(reducer, key, child, options) end

function operators.forEach(reducer, key, element, options)
  checkReducer(element, 2, "forEach")
  checkKey(key, "forEach")
  options = checkOptions(options, "forEach")
  return around(reducer, {
    kind = "forEach",
    key = key,
    child = element,
    action = options.action or lastSegment(key),
    id = options.id or "id",
    origin = here("forEach"),
  })
end

for _, name in ipairs {
  "ifLet", "ifCaseLet", "stack", "onChange", "dependency", "transformDependency", "printChanges", "pullback",
  "printActions", "signpost", "run",
} do
  operators[name] = function() error(("the operator '%s' is not part of this version"):format(name), 2) end
end

local function combine(reducers)
  if type(reducers) ~= "table" or isReducer(reducers) then
    error("scripted.combine takes a list of reducers: scripted.combine { a, b }", 2)
  end
  local description = { kind = "combine", reducers = {}, origin = here("combine") }
  for index, reducer in ipairs(reducers) do
    checkReducer(reducer, index, "combine")
    description.reducers[index] = reducer
  end
  local taken = {}
  for _, reducer in ipairs(description.reducers) do
    if isReducer(reducer) then
      local inner = descriptions[reducer]
      description.name = description.name or inner.name
      description.initial = description.initial or inner.initial
      for name, origin in pairs(operatorNames(inner, {})) do
        if taken[name] then
          error(("two operators have the action name '%s': %s and %s; give one another name with { action = \"…\" }")
            :format(name, taken[name], origin), 2)
        end
        taken[name] = origin
      end
    end
  end
  description.actions = actionsOf(description)
  return reducerOf(description)
end

-- ---- Effects -------------------------------------------------------------------------------------------------------

local effect = {
  none = native.effectNone,
  send = native.effectSend,
  merge = native.effectMerge,
  concatenate = native.effectConcatenate,
}
for _, name in ipairs {
  "run", "cancel", "dismiss", "all", "race", "timeout", "withCancellation", "isCancelled", "yield", "result",
} do
  effect[name] = function() error(("effect.%s is not part of this version"):format(name), 2) end
end

-- ---- The module ----------------------------------------------------------------------------------------------------

local scripted = {
  feature = feature,
  reduce = function(fn)
    if type(fn) ~= "function" then
      error(("bad argument #1 to 'scripted.reduce' (function expected, got %s)"):format(type(fn)), 2)
    end
    return reducerOf { kind = "feature", origin = here("reduce"), on = {}, reduce = fn, listed = {} }
  end,
  combine = combine,
  scope = function(key, child, options) return scope(nil, key, child, options) end,
  empty = reducerOf { kind = "combine", reducers = {}, origin = "empty" },
  null = native.null,
  isNull = function(value) return value == native.null end,
  array = native.array,
  object = native.object,
  replace = native.replace,
  snapshot = native.snapshot,
  equals = native.equals,
  action = native.actionWithIDs,
}
for _, name in ipairs { "cases", "binding", "dependency", "optional", "ignored", "ephemeral" } do
  scripted[name] = function() error(("scripted.%s is not part of this version"):format(name), 2) end
end

local function copy(source)
  local result = {}
  for key, value in pairs(source) do result[key] = value end
  return result
end

return {
  -- A reducer of the host's, by its number there.
  host = function(number, name)
    return reducerOf { kind = "host", number = number, name = name, origin = name }
  end,
  describe = function(reducer) return descriptions[reducer] end,
  -- A module's own copy.
  module = function()
    local own = copy(scripted)
    own.effect, own.list = copy(effect), copy(list)
    own.json = { encode = native.jsonEncode, decode = native.jsonDecode }
    return own
  end,
}
