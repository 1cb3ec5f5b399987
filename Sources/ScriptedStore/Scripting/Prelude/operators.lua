-- Operators that add to a reducer without a child (`onChange`, printing, signposts), operators of
-- TCA 0.x, and the functions of a reducer that need no store. Adds its operators to `operators`.
-- Returns `module`, further members of `scripted`, and `bound`, functions of a reducer that are
-- called with a dot.

local native, shared = ...
local operators, fail, here, around = shared.operators, shared.fail, shared.here, shared.around
local checkColon, checkKey, checkReducer = shared.checkColon, shared.checkKey, shared.checkReducer
local checkString, checkFunction = shared.checkString, shared.checkFunction

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
      fail("'pullback' has no field '%s'%s", tostring(field), shared.suggestion(field, PULLBACK))
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
    kind = "scope", key = key, child = child, action = action or shared.lastSegment(key), origin = origin,
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
  if shared.isReducer(state) then fail("call 'run' with a dot: Child.run(state.child, action, deps)") end
  local draft = native.draft(state)
  local domain = domains[reducer]
  if domain == nil then
    domain = native.prepare(reducer)
    domains[reducer] = domain
  end
  return native.run(domain, draft, action)
end

-- ---- The module ---------------------------------------------------------------------------------

local module = {}

function module.binding() return shared.reducerOf { kind = "binding", origin = here("binding") } end

function module.optional(reducer)
  checkReducer(reducer, 1, "scripted.optional")
  local description = { kind = "optional", origin = here("optional"), base = reducer }
  return around(shared.isReducer(reducer) and reducer or nil, description)
end

return { bound = bound, module = module }
