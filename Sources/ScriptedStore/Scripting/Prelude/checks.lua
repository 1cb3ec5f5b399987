-- Checks of what scripts pass to functions of the library, and the hints in their messages.

local native, need = ...
local fail = need("lines").fail

local checks = {}

function checks.copy(source)
  local result = {}
  for key, value in pairs(source) do result[key] = value end
  return result
end

-- ---- Hints --------------------------------------------------------------------------------------

local function keysOf(known)
  local names = {}
  for key in pairs(known) do names[#names + 1] = key end
  return names
end

--- Returns the end of a message about an unknown name: the most similar key of `known`, or nothing
--- if none is similar.
function checks.suggestion(name, known)
  local nearest = native.nearest(tostring(name), keysOf(known))
  return nearest and ("; did you mean '%s'?"):format(nearest) or ""
end

--- As `suggestion`, for the few names of options and fields: if none is similar, all are listed.
function checks.nameHint(name, known)
  local nearest = checks.suggestion(name, known)
  if nearest ~= "" then return nearest end
  local names = keysOf(known)
  table.sort(names)
  return "; it has " .. table.concat(names, ", ")
end

-- ---- Arguments ----------------------------------------------------------------------------------

--- Raises unless an argument has this type.
function checks.argument(value, expected, position, name)
  if type(value) ~= expected then
    fail("bad argument #%d to '%s' (%s expected, got %s)", position, name, expected, type(value))
  end
end

--- Whether a value can be called. A spy of a test is a table that can be called.
function checks.isCallable(value)
  if type(value) == "function" then return true end
  local metatable = type(value) == "table" and getmetatable(value)
  return type(metatable) == "table" and metatable.__call ~= nil
end

--- Raises unless a text is there. `what` is its name in the message.
function checks.text(value, what)
  if type(value) ~= "string" or value == "" then
    fail("%s must be a string, not %s", what, value == "" and "empty" or type(value))
  end
end

--- Checks the options of a function and returns them; an empty table for nil. `known` has the type of each option: as
--- `type` returns it, "any", or "name" for a text that is not empty. `subject` is what takes the options, in messages.
--- `hint(name, known)` is the end of the message about an unknown one; by default `nameHint`.
function checks.options(options, known, subject, hint)
  if options == nil then return {} end
  if type(options) ~= "table" then
    fail("the options of %s must be a table, not a %s", subject, type(options))
  end
  for key, value in pairs(options) do
    local expected = known[key]
    if not expected then
      fail("%s has no option '%s'%s", subject, tostring(key), (hint or checks.nameHint)(key, known))
    end
    if expected == "name" then
      checks.text(value, ("the option '%s' of %s"):format(key, subject))
    elseif expected ~= "any" and type(value) ~= expected then
      fail("the option '%s' of %s must be a %s, not a %s", key, subject, expected, type(value))
    end
  end
  return options
end

--- Raises for a field of a definition that is not in `known`. `subject` is what takes the definition, in messages.
function checks.fieldNames(definition, known, subject)
  for key in pairs(definition) do
    if not known[key] then fail("%s has no field '%s'%s", subject, tostring(key), checks.nameHint(key, known)) end
  end
end

-- ---- Names that are not there -------------------------------------------------------------------

--- Raises for a name that is not there. `form` is the message with the name and a hint as %s. The lists of names are
--- tables with the names as keys.
function checks.unknown(form, key, ...)
  local names = {}
  for _, list in ipairs { ... } do
    for name in pairs(list) do names[name] = true end
  end
  fail(form, tostring(key), checks.suggestion(key, names))
end

--- Makes a name that is not in a table raise an error at its line instead of being nil. `remedy(key)` is what to write
--- for a name of other languages, or nil.
function checks.strict(functions, subject, remedy)
  return setmetatable(functions, {
    __metatable = false,
    __index = function(_, key)
      local better = remedy and remedy(key)
      if better then fail("%s has no '%s'; %s", subject, tostring(key), better) end
      checks.unknown(subject .. " has no '%s'%s", key, functions)
    end,
  })
end

--- Makes a class of objects that scripts hold and cannot look into. Methods and getters get what is behind the object,
--- methods also their arguments. `definition` has:
---   name      the name of the type
---   missing   the message for a member that is not there, with its name and a hint as %s
---   colon     the message if a method gets something else in front, with the method's name twice as %s; or a table of
---             the messages by the names of methods
---   fixed     the message for an assignment, with the field's name as %s; or `set(record, key, value)`
---   text      for objects with a text of their own: `text(record)` returns it
--- Returns two functions: one makes an object of what is to be behind it, the other returns that, or nil.
function checks.class(definition, methods, getters)
  local records, entries = native.weakKeys(), {}
  for name, method in pairs(methods) do
    local colon = definition.colon
    if type(colon) == "table" then colon = colon[name] end
    entries[name] = native.entry(function(object, ...)
      return method(records[object] or fail(colon, name, name), ...)
    end)
  end
  getters = getters or {}
  local text = definition.text
  local metatable = {
    __name = definition.name, __metatable = false,
    __tostring = text and function(object) return text(records[object]) end,
    __index = function(object, key)
      local entry = entries[key]
      if entry then return entry end
      local getter = getters[key] or checks.unknown(definition.missing, key, entries, getters)
      return getter(records[object])
    end,
    __newindex = function(object, key, value)
      if not definition.set then fail(definition.fixed, tostring(key)) end
      definition.set(records[object], key, value)
    end,
  }
  return function(record)
    local object = setmetatable({}, metatable)
    records[object] = record
    return object
  end, function(object) return records[object] end
end

return checks
