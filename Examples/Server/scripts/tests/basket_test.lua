local scripted = require "scripted"
local test = require "scripted.test"
local Basket = require "basket"

local products = { tea = { name = "Tea", price = 450 }, mug = { name = "Mug", price = 1200 } }

describe("Basket", function()
  -- `pay` may be left out: then a test that pays fails.
  local function basket(pay, state)
    return test.store(Basket, {
      state = state,
      dependencies = {
        catalog = { product = function(id) return products[id] end },
        payments = { pay = pay },
      },
    })
  end

  local tea = { id = "tea", name = "Tea", price = 450, count = 2 }

  it("takes the price from the catalog", function()
    local store = basket()
    store:send("add", { product = "tea", count = 2, price = 1 }, function(state)
      state.lines, state.total = { tea }, 900
    end)
    store:send("add", { product = "tea" }, function(state)
      state.lines[1].count, state.total = 3, 1350
    end)
    store:send("remove", { product = "tea" }, function(state) state.lines, state.total = {}, 0 end)
  end)

  it("says what cannot be added", function()
    local store = basket()
    store:send("add", { product = "gold" }, function(state) state.message = "there is no product 'gold'" end)
    store:send("add", { product = "tea", count = 0 }, function(state)
      state.message = "one can add 1 to 99 of a product"
    end)
    store:send("checkout", function(state) state.message = "the basket is empty" end)
    store:send("add", { product = "mug" }, function(state)
      state.lines, state.total = { { id = "mug", name = "Mug", price = 1200, count = 1 } }, 1200
      state.message = scripted.null
    end)
  end)

  it("is paid, and empty then", function()
    local paid
    local store = basket(function(cents) paid = cents return "R-1" end, { lines = { tea }, total = 900 })
    store:send("checkout", function(state) state.isPaying = true end)
    store:receive("paid", function(state)
      state.lines, state.total, state.isPaying, state.receipt = {}, 0, false, "R-1"
    end)
    assert.are.equal(900, paid)
  end)

  it("does not change while it is paid, and stays if that fails", function()
    local store = basket(function() error("declined") end, { lines = { tea }, total = 900 })
    store:send("checkout", function(state) state.isPaying = true end)
    store:receive("paymentFailed", function(state)
      state.isPaying, state.message = false, "the payment failed; nothing was charged"
    end)

    store = basket(nil, { lines = { tea }, total = 900, isPaying = true })
    store:send("add", { product = "mug" }, function(state) state.message = "the basket is being paid" end)
    store:send("checkout")
  end)
end)
