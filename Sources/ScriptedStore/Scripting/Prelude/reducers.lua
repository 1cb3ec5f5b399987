-- Reducers as scripts hold them, and the actions that a reducer builds. A reducer is described by a table, its
-- description; the host compiles descriptions into a tree.
--
-- 1. Scripts hold reducers and never their descriptions, so that a script cannot change what a reducer is.
-- 2. Functions that scripts call are wrapped by `native.entry`, so that `native.here` finds the script's line (see
--    `lines.lua`).

local native, need = ...
local lines, checks = need "lines", need "checks"
local fail = lines.fail

local descriptions = native.weakKeys()
native.keepDescriptions(descriptions)

local FIELDS = { name = true, initial = true, actions = true }

local Reducer = {}

function Reducer.__index(reducer, key)
  local description = descriptions[reducer]
  if FIELDS[key] then return description[key] end
  local members = need "operators"
  local bound, operator = members.bound[key], members.operators[key]
  if bound then
    description.bound = description.bound or {}
    description.bound[key] = description.bound[key]
      or native.entry(function(...) return bound(reducer, ...) end)
    return description.bound[key]
  end
  if not operator then checks.unknown("a reducer has no '%s'%s", key, members.operators, members.bound, FIELDS) end
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
local function check(value, position, name)
  if not isReducer(value) and type(value) ~= "function" then
    fail("bad argument #%d to '%s' (reducer expected, got %s)", position, name, type(value))
  end
end

-- ---- Actions -------------------------------------------------------------------------------------

-- Calls `visit(name, kind, origin)` for each action name of a reducer's domain. `kind` is "own" for an action of a
-- feature, "case" for a case, and else the kind of the operator.
local function eachName(description, visit)
  if description.binding or description.kind == "binding" then visit("binding", "own") end
  if description.kind == "feature" then
    for pattern in pairs(description.on) do
      local name = pattern:match("^[^%.%[]+")
      if name then visit(name, "own") end
    end
    for _, name in ipairs(description.listed) do visit(name, "own") end
  elseif description.kind == "combine" then
    for _, reducer in ipairs(description.reducers) do
      if isReducer(reducer) then eachName(descriptions[reducer], visit) end
    end
  elseif description.kind == "cases" then
    for _, case in ipairs(description.cases) do visit(case.name, "case", description.origin) end
  else
    if description.action then visit(description.action, description.kind, description.origin) end
    if isReducer(description.base) then eachName(descriptions[description.base], visit) end
  end
end

-- Returns the kinds of the action names of a reducer's domain.
local function kindsOf(description)
  local kinds = {}
  eachName(description, function(name, kind)
    if kind ~= "own" or not kinds[name] then kinds[name] = kind end
  end)
  return kinds
end

-- Returns the action names of the operators from here down to the feature, each with the operator's origin.
local function operatorNames(description)
  local origins = {}
  eachName(description, function(name, _, origin) origins[name] = origin or origins[name] end)
  return origins
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
      names = names or kindsOf(description)
      local kind = names[name]
      if kind == nil then
        fail("%s has no action '%s'%s", description.name or "this reducer", tostring(name),
          checks.suggestion(name, names))
      end
      return builder(name, kind)
    end,
    __newindex = function() fail("the actions of a reducer cannot be changed") end,
  })
end

return {
  -- The description of each reducer.
  descriptions = descriptions,
  -- Makes a reducer of a description.
  of = reducerOf,
  isReducer = isReducer,
  check = check,
  -- The table `actions` of a reducer with this description.
  actions = actionsOf,
  actionKinds = kindsOf,
  operatorNames = operatorNames,
}
