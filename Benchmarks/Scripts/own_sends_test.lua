local sending = require "sending"

it("sends what writes an own value", function() sending("own") end)
