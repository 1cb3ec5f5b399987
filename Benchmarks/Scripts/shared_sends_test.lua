local sending = require "sending"

it("sends what writes a shared value", function() sending("value") end)
