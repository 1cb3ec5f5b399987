-- The module `scripted.test`: test stores and test doubles.

local native, need = ...
local checks, finish, shared = need "checks", need("statements").finish, need "test_shared"

-- Whether a message matches a Lua pattern or contains it as plain text. The text may be an invalid
-- pattern.
local function matches(message, pattern)
  local ok, found = pcall(string.find, message, pattern)
  return ok and found ~= nil or message:find(pattern, 1, true) ~= nil
end

local function expectWarning(pattern, fn)
  checks.argument(pattern, "string", 1, "test.expectWarning")
  checks.argument(fn, "function", 2, "test.expectWarning")
  native.testBeginWarnings()
  local warnings
  do
    local _ <close> = setmetatable({}, { __close = function() warnings = native.testEndWarnings() end })
    fn()
  end
  if #warnings == 0 then finish(("a warning that matches '%s' was expected, but there was none"):format(pattern)) end
  for _, warning in ipairs(warnings) do
    if not matches(warning, pattern) then
      finish(("a warning that matches '%s' was expected, but there was this one:\n%s"):format(pattern, warning))
    end
  end
end

local test = checks.copy(need("doubles").members)
test.store = need("test_store").store
test.view = need("test_view").view
test.shared = shared.shared
test.storage = shared.storage
test.expectWarning = native.entry(expectWarning)

return {
  module = checks.strict(test, "scripted.test"),
  -- The functions that the test framework calls around each test.
  begin = native.testBegin,
  check = function()
    local failure = native.testCheck()
    if failure then error(native.failure(failure), 0) end
  end,
  finish = native.testEnd,
}
