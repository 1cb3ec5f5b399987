-- The basket of a shop. Each visitor has one. A visitor names products; what they cost, the shop says.
local scripted = require "scripted"
require "services"
local effect, list = scripted.effect, scripted.list

local function total(lines)
  local sum = 0
  for _, line in ipairs(lines) do sum = sum + line.price * line.count end
  return sum
end

-- Whether the basket may change. While it is being paid it may not.
local function mayChange(state)
  state.message = state.isPaying and "the basket is being paid" or scripted.null
  return not state.isPaying
end

return scripted.feature {
  name = "Basket",
  dependencies = { "catalog", "payments" },
  state = {
    lines = scripted.array {},          -- { id, name, price, count }: prices are in cents
    total = 0,
    isPaying = false,
    receipt = scripted.null,            -- the number of what was paid last
    message = scripted.null,            -- what the visitor should read
  },

  on = {
    -- { product = string, count = integer? }
    add = function(state, action, deps)
      if not mayChange(state) then return end
      local count = action.count or 1
      local product = deps.catalog.product(action.product)
      if not product then
        state.message = ("there is no product '%s'"):format(action.product)
        return
      end
      if math.type(count) ~= "integer" or count < 1 or count > 99 then
        state.message = "one can add 1 to 99 of a product"
        return
      end
      local line = list.find(state.lines, action.product)
      if line then
        line.count = line.count + count
      else
        table.insert(state.lines, { id = action.product, name = product.name, price = product.price, count = count })
      end
      state.total = total(state.lines)
    end,

    -- { product = string }
    remove = function(state, action)
      if not mayChange(state) then return end
      list.remove(state.lines, action.product)
      state.total = total(state.lines)
    end,

    checkout = function(state)
      if not mayChange(state) then return end
      local sum = state.total
      if sum == 0 then
        state.message = "the basket is empty"
        return
      end
      state.isPaying = true
      return effect.run(function(send, deps)
        send("paid", { receipt = deps.payments.pay(sum) })
      end, { catch = function(_, send) send("paymentFailed") end })
    end,

    -- { receipt = string }
    paid = function(state, action)
      state.lines, state.total, state.isPaying, state.receipt = scripted.array {}, 0, false, action.receipt
    end,

    paymentFailed = function(state)
      state.isPaying, state.message = false, "the payment failed; nothing was charged"
    end,
  },
}
