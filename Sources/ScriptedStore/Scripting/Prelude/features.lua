-- `scripted.feature`: checks the definition of a feature, and describes its reducer.

local native, need = ...
local lines, checks, reducers = need "lines", need "checks", need "reducers"
local fail = lines.fail

local FIELDS = {
  name = "string", state = "table", on = "table", reduce = "function", actions = "table",
  dependencies = "table", shared = "table", binding = "boolean", version = "number", migrate = "function",
  reload = "string", view = "function", transient = "table",
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
    local counterpart = FIELD_NAMES[key]
    local hint = counterpart and ("; did you mean '%s'?"):format(counterpart) or checks.suggestion(key, FIELDS)
    if hint == "" then known = checks.nameHint(key, FIELDS) end
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

-- Checks and copies a list of names. `what` is what they are, in the message about other keys than positions.
local function listedNames(definition, field, what)
  local listed = {}
  for position, name in pairs(definition[field] or {}) do
    if math.type(position) ~= "integer" then
      fail("`%s` is a list of %s: %s = { \"%s\" }", field, what, field, tostring(position))
    end
    checks.text(name, ("a name in `%s`"):format(field))
    listed[#listed + 1] = name
  end
  return listed
end

-- Checks and copies the names in `transient`.
local function transientFields(definition)
  local state, shared = definition.state or {}, definition.shared or {}
  local names = listedNames(definition, "transient", "names of fields")
  for _, name in ipairs(names) do
    if shared[name] ~= nil then
      fail("the field '%s' is in `shared` and in `transient`; leave it out of `transient`, as the host has its value",
        name)
    end
    if state[name] == nil then
      local hint = checks.suggestion(name, state)
      fail("`transient` names '%s', which is no field of `state`%s", name,
        hint ~= "" and hint or "; give it its default there")
    end
  end
  return names
end

local function feature(definition)
  checks.argument(definition, "table", 1, "scripted.feature")
  checkFields(definition)
  checkReload(definition)
  local defaults = native.checkState(definition.state or {})
  local on = checks.copy(definition.on or {})
  checkHandlers(on)
  local sharedFields = need("sharing").fields(definition)

  native.declareFeature(
    definition.name, native.here(), definition.version, definition.reload == "cancel", on, defaults, #sharedFields > 0)
  local description = {
    kind = "feature",
    name = definition.name,
    origin = lines.here("feature"),
    on = on,
    reduce = definition.reduce,
    migrate = definition.migrate,
    view = definition.view,
    binding = definition.binding,
    listed = listedNames(definition, "actions", "names"),
    dependencies = listedNames(definition, "dependencies", "names"),
    defaults = defaults,
    shared = sharedFields,
    transient = transientFields(definition),
  }
  description.actions = reducers.actions(description)
  description.initial = native.entry(function(overrides)
    if reducers.isReducer(overrides) then fail("call 'initial' with a dot: Feature.initial()") end
    local state = native.snapshot(defaults)
    if overrides == nil then return state end
    checks.argument(overrides, "table", 1, "initial")
    -- Copies `overrides`, so that later changes to the argument do not change the state.
    for key, value in pairs(native.checkState(overrides)) do state[key] = value end
    return state
  end)
  return reducers.of(description)
end

return { feature = native.entry(feature) }
