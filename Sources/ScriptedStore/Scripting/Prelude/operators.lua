-- The operators of reducers, and the functions of a reducer that need no store.

local native, need = ...
local lines, checks, reducers = need "lines", need "checks", need "reducers"
local here, fail = lines.here, lines.fail
local descriptions, isReducer = reducers.descriptions, reducers.isReducer

-- The functions of a reducer that are called with a colon, and members of `scripted`. The `kind` of a description is
-- the name that was called; `ReducerKind` in Swift lists all of them.
local operators, module = {}, {}

-- ---- Action names -------------------------------------------------------------------------------

local function failTwice(name, one, other)
  fail("two operators have the action name '%s': %s and %s; give one another name with { action = \"…\" }",
    name, one, other)
end

-- Returns a new reducer around `base`, with the same `name` and `initial`. Its `actions` also
-- contain those of the operator.
local function around(base, description)
  local inner = base and descriptions[base]
  if inner then
    local taken = reducers.operatorNames(inner)[description.action]
    if taken then failTwice(description.action, taken, description.origin) end
    description.base = base
    description.name, description.initial = inner.name, description.initial or inner.initial
  end
  description.actions = reducers.actions(description)
  return reducers.of(description)
end

-- ---- Arguments ----------------------------------------------------------------------------------

local function checkColon(reducer, name)
  if isReducer(reducer) then return end
  if name == "view" and type(reducer) == "table" then
    fail("a feature's view is not called; a parent places its child's view with ui.forEach \"rows\" "
      .. "or ui.child \"row\"")
  end
  fail("call '%s' with a colon: feature:%s(…)", name, name)
end

local function lastSegment(key) return key:match("[^%.]+$") end

local function checkKey(key, name)
  checks.text(key, ("the key of '%s'"):format(name))
  if key:find("^%.") or key:find("%.%.") or key:find("%.$") then
    fail("the key '%s' of '%s' has an empty segment", key, name)
  end
end

local ACTION, ACTION_AND_ID = { action = "name" }, { action = "name", id = "name" }

-- ---- Children -----------------------------------------------------------------------------------

-- Returns a new reducer with an operator that runs a child on the state at a key.
local function attached(kind, base, key, child, options, known)
  reducers.check(child, 2, kind)
  checkKey(key, kind)
  options = checks.options(options, known, ("'%s'"):format(kind))
  return around(base, {
    kind = kind, key = key, child = child, action = options.action or lastSegment(key), id = options.id,
    origin = here(kind),
  })
end

local function scope(base, key, child, options)
  if type(key) ~= "table" then return attached("scope", base, key, child, options, ACTION) end
  reducers.check(child, 2, "scope")
  options = checks.options(options, ACTION, "'scope'")
  if type(key.get) ~= "function" or type(key.set) ~= "function" then
    fail("a scope by functions takes { get = function(state), set = function(state, childState) }")
  end
  if options.action == nil then fail("a scope by functions needs an action name: { action = \"…\" }") end
  return around(base, {
    kind = "scope", get = key.get, set = key.set, child = child, action = options.action, origin = here("scope"),
  })
end

operators.scope = scope

function operators.forEach(reducer, key, element, options)
  return attached("forEach", reducer, key, element, options, ACTION_AND_ID)
end

function module.scope(key, child, options) return scope(nil, key, child, options) end

function operators.view(reducer, fn)
  checks.argument(fn, "function", 2, "view")
  return around(reducer, { kind = "view", view = fn, origin = here("view") })
end

function module.combine(list)
  if type(list) ~= "table" or isReducer(list) then
    fail("scripted.combine takes a list of reducers: scripted.combine { a, b }")
  end
  local description = { kind = "combine", reducers = {}, origin = here("combine") }
  -- Sorts the positions instead of using ipairs, because nil between reducers is skipped, as in
  -- `{ isDebug and Log or nil, App }`.
  local positions = {}
  for position in pairs(list) do
    if math.type(position) ~= "integer" then
      fail("scripted.combine takes a list of reducers, without names ('%s')", tostring(position))
    end
    positions[#positions + 1] = position
  end
  table.sort(positions)
  for index, position in ipairs(positions) do
    reducers.check(list[position], position, "combine")
    description.reducers[index] = list[position]
  end
  local taken = {}
  for _, reducer in ipairs(description.reducers) do
    if isReducer(reducer) then
      local inner = descriptions[reducer]
      description.name = description.name or inner.name
      description.initial = description.initial or inner.initial
      for name, origin in pairs(reducers.operatorNames(inner)) do
        if taken[name] then failTwice(name, taken[name], origin) end
        taken[name] = origin
      end
    end
  end
  return around(nil, description)
end

function module.optional(reducer)
  reducers.check(reducer, 1, "scripted.optional")
  return around(reducer, { kind = "optional", origin = here("optional"), base = reducer })
end

function module.binding() return reducers.of { kind = "binding", origin = here("binding") } end

-- ---- Dependencies -------------------------------------------------------------------------------

function operators.dependency(reducer, name, value)
  checks.text(name, "the name of a dependency")
  if value == nil then fail("bad argument #2 to 'dependency' (value expected, got nil)") end
  return around(reducer, { kind = "dependency", dependency = name, value = value, origin = here("dependency") })
end

function operators.transformDependency(reducer, name, transform)
  checks.text(name, "the name of a dependency")
  checks.argument(transform, "function", 2, "transformDependency")
  return around(reducer, {
    kind = "transformDependency", dependency = name, transform = transform, origin = here("transformDependency"),
  })
end

-- ---- Observing ----------------------------------------------------------------------------------

function operators.onChange(reducer, key, handler)
  if type(key) ~= "function" then checkKey(key, "onChange") end
  checks.argument(handler, "function", 2, "onChange")
  local description = { kind = "onChange", handler = handler, origin = here("onChange") }
  description[type(key) == "function" and "of" or "key"] = key
  return around(reducer, description)
end

-- Returns an operator whose only argument is an optional prefix for its output.
local function withPrefix(name)
  return function(reducer, prefix)
    if prefix ~= nil then checks.argument(prefix, "string", 1, name) end
    return around(reducer, { kind = name, prefix = prefix, origin = here(name) })
  end
end

operators.printChanges = withPrefix "printChanges"
operators.printActions = withPrefix "printActions"
operators.signpost = withPrefix "signpost"

-- ---- Presentation -------------------------------------------------------------------------------

local function cases(definition)
  if type(definition) ~= "table" or isReducer(definition) then
    fail("scripted.cases takes a reducer for each case: scripted.cases { add = Add, edit = Edit }")
  end
  local list = {}
  for name, reducer in pairs(definition) do
    checks.text(name, "a case of 'scripted.cases'")
    if not isReducer(reducer) and type(reducer) ~= "function" then
      fail("the case '%s' of 'scripted.cases' must be a reducer, not a %s", name, type(reducer))
    end
    list[#list + 1] = { name = name, reducer = reducer }
  end
  if #list == 0 then fail("scripted.cases needs a case") end
  table.sort(list, function(a, b) return a.name < b.name end)
  return around(nil, { kind = "cases", cases = list, origin = here("cases") })
end

function operators.ifLet(reducer, key, child, options)
  local new = attached("ifLet", reducer, key, child, options, ACTION)
  -- The action names of a child that is given as a function are not known yet.
  if isReducer(child) and reducers.actionKinds(descriptions[child]).dismiss then
    fail("the child of 'ifLet' at '%s' has an action 'dismiss', which is the operator's own; give it another name", key)
  end
  return new
end

function operators.stack(reducer, key, element, options)
  -- A plain table is a reducer for each case, as `scripted.cases` takes it.
  if type(element) == "table" and not isReducer(element) then element = cases(element) end
  return attached("stack", reducer, key, element, options, ACTION)
end

-- Overrides replace a tagged state as a whole: merging them could leave it with two cases.
local function initialOf(initial)
  return initial and native.entry(function(overrides)
    if type(overrides) ~= "table" or next(overrides) == nil then return initial(overrides) end
    return native.snapshot(native.checkState(overrides))
  end)
end

function operators.ifCaseLet(reducer, name, child)
  reducers.check(child, 2, "ifCaseLet")
  checks.text(name, "the case of 'ifCaseLet'")
  return around(reducer, {
    kind = "ifCaseLet", key = name, child = child, action = name, initial = initialOf(reducer.initial),
    origin = here("ifCaseLet"),
  })
end

-- ---- TCA 0.x ------------------------------------------------------------------------------------

local PULLBACK = { state = true, action = true, dependencies = true }

function operators.pullback(reducer, definition)
  checks.argument(definition, "table", 1, "pullback")
  checks.fieldNames(definition, PULLBACK, "'pullback'")
  local key, action, dependencies = definition.state, definition.action, definition.dependencies
  checkKey(key, "pullback")
  if action ~= nil then checks.text(action, "the field 'action' of 'pullback'") end
  local origin, child = here("pullback"), reducer
  if dependencies ~= nil then
    if type(dependencies) ~= "function" then
      fail("the field 'dependencies' of 'pullback' must be a function of deps, not a %s", type(dependencies))
    end
    child = around(child, { kind = "environment", make = dependencies, origin = origin })
  end
  return around(nil, {
    kind = "pullback", key = key, child = child, action = action or lastSegment(key), origin = origin,
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

for name, operator in pairs(operators) do
  operators[name] = lines.method(name, function(reducer, ...)
    checkColon(reducer, name)
    return operator(reducer, ...)
  end, descriptions)
end
module.cases = cases
for name, fn in pairs(module) do module[name] = native.entry(fn) end

return {
  -- The functions of a reducer that are called with a colon, and those that are called with a dot.
  operators = operators,
  bound = bound,
  -- Members of `scripted`.
  module = module,
}
