-- An output handler for busted: `busted -o …/outcomes.lua SPEC` prints a line for each test, its status ("success",
-- "failure", "error", "pending"), a tab and its full name, and for each hook or block that raised a line with "hook".
-- (busted's own JSON reporter prints nothing for files with pending tests.)
-- luacheck: std max
return function()
  local busted = require "busted"
  local handler = require "busted.outputHandlers.base"()

  local function line(status, element)
    io.write(status, "\t", handler.getFullName(element), "\n")
    return nil, true
  end

  local function raised(element)
    if element.descriptor == "it" then return nil, true end
    return line("hook", element)
  end

  busted.subscribe({ "test", "end" }, function(element, _, status) return line(status, element) end)
  busted.subscribe({ "error" }, raised)
  busted.subscribe({ "failure" }, raised)
  return handler
end
