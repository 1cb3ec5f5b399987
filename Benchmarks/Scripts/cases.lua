-- The same with a reducer for each case.
local scripted = require "scripted"
local Counter = require "counter"

return require "switching":ifLet("destination", scripted.cases {
  add = Counter, edit = Counter, item = scripted.ignored, alert = scripted.ephemeral,
})
