-- The operators of reducers, except those of presentation, and the functions of a reducer that need
-- no store. Adds its operators to `operators`, and to `shared` the functions that presentation's
-- operators need too. Returns `module`, further members of `scripted`, and `bound`, functions of a
-- reducer that are called with a dot.

local native, shared = ...
local nameHint = native.nameHint
local operators, descriptions = shared.operators, shared.descriptions
local here, fail = shared.here, shared.fail
local reducerOf, isReducer, actionsOf = shared.reducerOf, shared.isReducer, shared.actionsOf
local checkReducer, checkFunction, checkString = shared.checkReducer, shared.checkFunction, shared.checkString

-- Further members of `scripted`.
local module = {}

-- ---- Action names -------------------------------------------------------------------------------

-- Collects the action names of the operators from here down to the feature, each with the
-- operator's origin.
local function operatorNames(description, names)
  if description.kind == "combine" then
    for _, reducer in ipairs(description.reducers) do
      if isReducer(reducer) then operatorNames(descriptions[reducer], names) end
    end
  elseif description.kind == "cases" then
    for _, case in ipairs(description.cases) do names[case.name] = description.origin end
  else
    if description.action then names[description.action] = description.origin end
    if isReducer(description.base) then operatorNames(descriptions[description.base], names) end
  end
  return names
end

local function failTwice(name, one, other)
  fail("two operators have the action name '%s': %s and %s; give one another name with { action = \"…\" }",
    name, one, other)
end

-- Returns a new reducer around `base`, with the same `name` and `initial`. Its `actions` also
-- contain those of the operator.
local function around(base, description)
  local inner = base and descriptions[base]
  if inner then
    local taken = operatorNames(inner, {})[description.action]
    if taken then
      failTwice(description.action, taken, description.origin)
    end
    description.base = base
    description.name, description.initial = inner.name, description.initial or inner.initial
  end
  description.actions = actionsOf(description)
  return reducerOf(description)
end

-- ---- Arguments ----------------------------------------------------------------------------------

local function checkColon(reducer, name)
  if not isReducer(reducer) then fail("call '%s' with a colon: feature:%s(…)", name, name) end
end

local function lastSegment(key) return key:match("[^%.]+$") end

local function checkKey(key, name)
  checkString(key, ("the key of '%s'"):format(name))
  if key:find("^%.") or key:find("%.%.") or key:find("%.$") then
    fail("the key '%s' of '%s' has an empty segment", key, name)
  end
end

local OPTIONS = {
  scope = { action = true }, forEach = { action = true, id = true },
  ifLet = { action = true }, stack = { action = true },
}

local function checkOptions(options, name)
  if options == nil then return {} end
  if type(options) ~= "table" then
    fail("the options of '%s' must be a table, not a %s", name, type(options))
  end
  for key, value in pairs(options) do
    if not OPTIONS[name][key] then
      fail("'%s' has no option '%s'%s", name, tostring(key), nameHint(key, OPTIONS[name]))
    end
    checkString(value, ("the option '%s' of '%s'"):format(key, name))
  end
  return options
end

-- ---- Children -----------------------------------------------------------------------------------

local function scope(base, key, child, options)
  checkReducer(child, 2, "scope")
  options = checkOptions(options, "scope")
  local description = { kind = "scope", child = child, origin = here("scope") }
  if type(key) == "table" then
    if type(key.get) ~= "function" or type(key.set) ~= "function" then
      fail("a scope by functions takes { get = function(state), set = function(state, childState) }")
    end
    if options.action == nil then fail("a scope by functions needs an action name: { action = \"…\" }") end
    description.get, description.set = key.get, key.set
  else
    checkKey(key, "scope")
    description.key = key
  end
  description.action = options.action or lastSegment(key)
  return around(base, description)
end

function operators.scope(reducer, key, child, options)
  checkColon(reducer, "scope")
  return scope(reducer, key, child, options)
end

function operators.forEach(reducer, key, element, options)
  checkColon(reducer, "forEach")
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

function module.scope(key, child, options) return scope(nil, key, child, options) end

function operators.view(reducer, fn)
  if type(reducer) == "table" and not isReducer(reducer) then
    fail("a feature's view is not called; a parent places its child's view with ui.forEach \"rows\" "
      .. "or ui.child \"row\"")
  end
  checkColon(reducer, "view")
  checkFunction(fn, 2, "view")
  return around(reducer, { kind = "view", view = fn, origin = here("view") })
end

function module.combine(reducers)
  if type(reducers) ~= "table" or isReducer(reducers) then
    fail("scripted.combine takes a list of reducers: scripted.combine { a, b }")
  end
  local description = { kind = "combine", reducers = {}, origin = here("combine") }
  -- Sorts the positions instead of using ipairs, because nil between reducers is skipped, as in
  -- `{ isDebug and Log or nil, App }`.
  local positions = {}
  for position in pairs(reducers) do
    if math.type(position) ~= "integer" then
      fail("scripted.combine takes a list of reducers, without names ('%s')", tostring(position))
    end
    positions[#positions + 1] = position
  end
  table.sort(positions)
  for index, position in ipairs(positions) do
    checkReducer(reducers[position], position, "combine")
    description.reducers[index] = reducers[position]
  end
  local taken = {}
  for _, reducer in ipairs(description.reducers) do
    if isReducer(reducer) then
      local inner = descriptions[reducer]
      description.name = description.name or inner.name
      description.initial = description.initial or inner.initial
      for name, origin in pairs(operatorNames(inner, {})) do
        if taken[name] then
          failTwice(name, taken[name], origin)
        end
        taken[name] = origin
      end
    end
  end
  description.actions = actionsOf(description)
  return reducerOf(description)
end

function module.optional(reducer)
  checkReducer(reducer, 1, "scripted.optional")
  local description = { kind = "optional", origin = here("optional"), base = reducer }
  return around(isReducer(reducer) and reducer or nil, description)
end

function module.binding() return reducerOf { kind = "binding", origin = here("binding") } end

-- ---- Dependencies -------------------------------------------------------------------------------

function operators.dependency(reducer, name, value)
  checkColon(reducer, "dependency")
  checkString(name, "the name of a dependency")
  if value == nil then fail("bad argument #2 to 'dependency' (value expected, got nil)") end
  return around(reducer, { kind = "dependency", dependency = name, value = value, origin = here("dependency") })
end

function operators.transformDependency(reducer, name, transform)
  checkColon(reducer, "transformDependency")
  checkString(name, "the name of a dependency")
  checkFunction(transform, 2, "transformDependency")
  return around(reducer, {
    kind = "dependency", dependency = name, transform = transform, origin = here("transformDependency"),
  })
end

-- ---- Observing ----------------------------------------------------------------------------------

function operators.onChange(reducer, key, handler)
  checkColon(reducer, "onChange")
  if type(key) ~= "function" then checkKey(key, "onChange") end
  checkFunction(handler, 2, "onChange")
  local description = { kind = "onChange", handler = handler, origin = here("onChange") }
  description[type(key) == "function" and "of" or "key"] = key
  return around(reducer, description)
end

-- The operators whose only argument is an optional prefix for their output.
for name, kind in pairs { printChanges = "print", printActions = "print", signpost = "signpost" } do
  operators[name] = function(reducer, prefix)
    checkColon(reducer, name)
    if prefix ~= nil and type(prefix) ~= "string" then
      fail("bad argument #1 to '%s' (string expected, got %s)", name, type(prefix))
    end
    return around(reducer, { kind = kind, prefix = prefix, changes = name == "printChanges", origin = here(name) })
  end
end

-- ---- TCA 0.x ------------------------------------------------------------------------------------

local PULLBACK = { state = true, action = true, dependencies = true }

function operators.pullback(reducer, definition)
  checkColon(reducer, "pullback")
  if type(definition) ~= "table" then
    fail("bad argument #1 to 'pullback' (table expected, got %s)", type(definition))
  end
  for field in pairs(definition) do
    if not PULLBACK[field] then
      fail("'pullback' has no field '%s'%s", tostring(field), nameHint(field, PULLBACK))
    end
  end
  local key, action, dependencies = definition.state, definition.action, definition.dependencies
  checkKey(key, "pullback")
  if action ~= nil then checkString(action, "the field 'action' of 'pullback'") end
  local origin, child = here("pullback"), reducer
  if dependencies ~= nil then
    if type(dependencies) ~= "function" then
      fail("the field 'dependencies' of 'pullback' must be a function of deps, not a %s", type(dependencies))
    end
    child = around(child, { kind = "environment", make = dependencies, origin = origin })
  end
  return around(nil, {
    kind = "scope", key = key, child = child, action = action or lastSegment(key), origin = origin,
  })
end

-- ---- Functions of a reducer without a store -----------------------------------------------------

-- Functions that are called with a dot, as `Feature.tree()`. They get the reducer and the
-- arguments.
local bound = {}

function bound.tree(reducer) return native.tree(reducer) end

-- The compiled domains of reducers that `run` was called on. An entry lives as long as its reducer.
local domains = native.weakKeys()

function bound.run(reducer, state, action)
  if isReducer(state) then fail("call 'run' with a dot: Child.run(state.child, action, deps)") end
  local draft = native.draft(state)
  local domain = domains[reducer]
  if domain == nil then
    domain = native.prepare(reducer)
    domains[reducer] = domain
  end
  return native.run(domain, draft, action)
end

-- ---- The module ---------------------------------------------------------------------------------

shared.around, shared.lastSegment = around, lastSegment
shared.checkColon, shared.checkKey, shared.checkOptions = checkColon, checkKey, checkOptions

return { bound = bound, module = module }
