-- A feature that has itself as its elements.
local scripted = require "scripted"

local Folder
Folder = scripted.feature {
  name = "Folder",
  state = { count = 0, folders = {} },
  on = {
    increment = function(state) state.count = state.count + 1 end,
  },
}:forEach("folders", function() return Folder end)
return Folder
