-- The lines of a script at which it calls operators, for errors, warnings and drawings of the tree.
--
-- Lua 5.4.0 to 5.4.5 give all calls of a chain, as in `Feature:scope(…):forEach(…)`, the line on
-- which the chain begins. But the lookup of a method always has the line of the method's name. So
-- the lookup stores that line, and the call takes it.

local native = ...

-- Lua compiles at most 200 calls inside of each other's arguments. More lines than that belong to
-- lookups that no call followed.
local MOST_LOOKUPS = 200
-- While an operator runs that was called as a method: the line of its name. Otherwise nil.
local methodLine

-- `description.lookups` has, for each operator, the lines of lookups whose calls have not begun,
-- innermost last.
local function record(description, operator)
  local lookups = description.lookups or {}
  description.lookups = lookups
  local lines = lookups[operator]
  if not lines or #lines >= MOST_LOOKUPS then
    lines = {}
    lookups[operator] = lines
  end
  lines[#lines + 1] = native.here()
end

local function take(description, operator)
  local lines = description and description.lookups and description.lookups[operator]
  return lines and table.remove(lines)
end

-- The line of the script that called into this file. This needs the wrapper `native.entry`, which is
-- a C function: a tail call of a Lua function, as in `return Todos:forEach(…)`, would replace the
-- script's frame and lose its line.
local function line() return methodLine or native.here() end

-- Returns the operator's name with its line.
local function here(operator) return operator .. " at " .. line() end

-- Raises an error at the script's line.
local function fail(message, ...)
  local at = line()
  methodLine = nil
  error(at .. ": " .. message:format(...), 0)
end

-- Wraps an operator that scripts call as a method of a reducer. `descriptions` has the description of
-- each reducer.
local function method(name, operator, descriptions)
  return native.entry(function(reducer, ...)
    methodLine = reducer ~= nil and take(descriptions[reducer], name) or nil
    local result = operator(reducer, ...)
    methodLine = nil
    return result
  end)
end

return { here = here, fail = fail, record = record, method = method }
