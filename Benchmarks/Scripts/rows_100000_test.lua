local toggle = require "toggling"

it("toggles and asserts", function() toggle(100000) end)
