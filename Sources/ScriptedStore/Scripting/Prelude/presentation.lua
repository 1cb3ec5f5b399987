-- Operators for children that may be absent, and for cases: `ifLet`, `ifCaseLet`, `stack`, and
-- `scripted.cases` with `scripted.ignored` and `scripted.ephemeral`. Adds its operators to
-- `operators` and returns further members of `scripted`.

local native, shared = ...
local operators, around, isReducer = shared.operators, shared.around, shared.isReducer
local here, fail = shared.here, shared.fail
local checkColon, checkKey, checkReducer = shared.checkColon, shared.checkKey, shared.checkReducer
local checkString, checkOptions, lastSegment = shared.checkString, shared.checkOptions, shared.lastSegment

local function cases(definition)
  if type(definition) ~= "table" or isReducer(definition) then
    fail("scripted.cases takes a reducer for each case: scripted.cases { add = Add, edit = Edit }")
  end
  local list = {}
  for name, reducer in pairs(definition) do
    checkString(name, "a case of 'scripted.cases'")
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
  checkColon(reducer, "ifLet")
  checkReducer(child, 2, "ifLet")
  checkKey(key, "ifLet")
  options = checkOptions(options, "ifLet")
  -- The action names of a child that is given as a function are not known yet.
  if isReducer(child) and shared.collectNames(shared.descriptions[child], {}).dismiss then
    fail("the child of 'ifLet' at '%s' has an action 'dismiss', which is the operator's own; give it another name", key)
  end
  return around(reducer, {
    kind = "ifLet", key = key, child = child, action = options.action or lastSegment(key), origin = here("ifLet"),
  })
end

function operators.stack(reducer, key, element, options)
  checkColon(reducer, "stack")
  -- A plain table is a reducer for each case, as `scripted.cases` takes it.
  if type(element) == "table" and not isReducer(element) then element = cases(element) end
  checkReducer(element, 2, "stack")
  checkKey(key, "stack")
  options = checkOptions(options, "stack")
  return around(reducer, {
    kind = "stack", key = key, child = element, action = options.action or lastSegment(key), origin = here("stack"),
  })
end

-- Overrides replace a tagged state as a whole: merging them could leave it with two cases.
local function initialOf(initial)
  return initial and native.entry(function(overrides)
    if type(overrides) ~= "table" or next(overrides) == nil then return initial(overrides) end
    return native.snapshot(native.checkState(overrides))
  end)
end

function operators.ifCaseLet(reducer, name, child)
  checkColon(reducer, "ifCaseLet")
  checkReducer(child, 2, "ifCaseLet")
  checkString(name, "the case of 'ifCaseLet'")
  return around(reducer, {
    kind = "ifCaseLet", key = name, child = child, action = name, initial = initialOf(reducer.initial),
    origin = here("ifCaseLet"),
  })
end

return {
  cases = native.entry(cases),
  ignored = shared.reducerOf { kind = "ignored", origin = "ignored" },
  ephemeral = shared.reducerOf { kind = "ephemeral", origin = "ephemeral" },
}
