-- A reducer with the host's stopwatch beside it.
local scripted = require "scripted"

return function(name) return scripted.combine { require(name), require "stopwatch" } end
