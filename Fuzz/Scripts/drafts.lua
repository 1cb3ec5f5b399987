local scripted = require "scripted"
local programs = require "programs"

-- What programs begin with, in the state and as tables.
local starts = {}
for seed = 1, 64 do starts[seed] = programs.build(seed) end
local root

return scripted.feature {
  name = "Drafts",
  state = { starts = starts },
  on = {
    -- `bytes`: a character for each. The last says where the program begins.
    run = function(state, action)
      local bytes = { utf8.codepoint(action.bytes, 1, -1) }
      local start = (table.remove(bytes) or 0) % #starts + 1
      state.root = state.starts[start]
      local found
      found, root = programs.difference(scripted.list, state, starts[start], bytes, 2 + #bytes // 10)
      if found then error(found, 0) end
    end,
    -- What was committed is the same.
    check = function(state)
      if not programs.same(state.root, root) then error("what is committed is another", 0) end
    end,
  },
}
