-- The counter presented by an element of a stack, which is in a scope.
local scripted = require "scripted"

local Detail = scripted.feature { name = "Detail", state = {} }:ifLet("sheet", require "counter")
local Page = scripted.feature { name = "Page", state = { path = {} } }
  :stack("path", scripted.cases { detail = Detail, about = scripted.ignored })

return scripted.feature {
  name = "App",
  state = { page = { path = { { detail = { sheet = { count = 0 } } } } } },
}:scope("page", Page)
