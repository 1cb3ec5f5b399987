-- What a basket needs of the shop.
local scripted = require "scripted"

local products = {
  tea = { name = "Tea", price = 450 },                    -- in cents
  mug = { name = "Mug", price = 1200 },
  kettle = { name = "Kettle", price = 4900 },
}

scripted.dependency {
  name = "catalog",
  live = { product = function(id) return products[id] end },
}

-- The server replaces this one.
scripted.dependency {
  name = "payments",
  -- Charges cents, and returns the number of the receipt.
  live = { pay = function() error("this program cannot take payments") end },
}
