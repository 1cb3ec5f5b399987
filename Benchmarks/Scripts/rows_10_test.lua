local toggle = require "toggling"

it("toggles and asserts", function() toggle(10) end)
