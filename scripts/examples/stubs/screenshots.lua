-- For `--dependency screenshots.taken=@scripts/examples/stubs/screenshots.lua`: one every five seconds.
local deps = ...

return function() return deps.clock.timer(5) end
