local scripted = require "scripted"
local programs = require "programs"

local difference = programs.difference

return scripted.feature {
  name = "Drafts",
  state = {},
  on = {
    -- `bytes` is in hexadecimal digits.
    run = function(state, action)
      local bytes = action.bytes:gsub("..", function(digits) return string.char(tonumber(digits, 16)) end)
      local found = difference(scripted.list, state, bytes, 3 + #bytes // 8)
      if found then error(found, 0) end
    end,
    -- What was committed can be read, and goes away again.
    check = function(state)
      scripted.snapshot(state.root)
      state.root = nil
    end,
  },
}
