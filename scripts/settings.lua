-- The settings of the system: `deps.settings.open()` shows those of the application.
local scripted = require "scripted"

return scripted.dependency {
  name = "settings",

  -- Scripts see no system. A host that has settings gives its own to the stores that it makes.
  live = { open = function() error("no settings here: the host gives them to its stores", 2) end },

  preview = { open = function() end },
}
