-- How a statement of a test ends.

local native = ...

local statements = {}

--- Raises the failure of a statement at the test's line, and prints the changes that were not asserted.
function statements.finish(failure, skipped)
  if failure then error(native.failure(native.here() .. ": " .. failure), 0) end
  if skipped then print(native.here() .. ": not asserted:\n" .. skipped) end
end

--- Ends a statement that is not about a store: raises the problems that came up during it. Returns its arguments.
function statements.finishAll(...)
  statements.finish(native.testProblems())
  return ...
end

return statements
