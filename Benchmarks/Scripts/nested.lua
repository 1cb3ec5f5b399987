-- The counter under five features, each with a child and nothing else.
local scripted = require "scripted"

local feature = require "counter"
for depth = 5, 1, -1 do
  local key = "level" .. depth
  local state = { [key] = feature.initial() }
  feature = scripted.feature { name = "Level" .. depth, state = state }:scope(key, feature)
end
return feature
