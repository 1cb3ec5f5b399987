-- Facts about numbers, from a service in the network. A feature that declares `numberFact` asks it with
-- `deps.numberFact.fetch(number)`, which waits for the answer and raises if there is none.
local scripted = require "scripted"

-- Where the service is, by itself so that a store may be given another one.
scripted.dependency { name = "numberFactService", live = "http://numbersapi.com" }

local numberFact = {
  name = "numberFact",

  live = function(deps)
    return {
      fetch = function(number)
        local response = deps.http.get(("%s/%d/trivia"):format(deps.numberFactService, number))
        if response.status ~= 200 then
          error(("the service of number facts answered with %d"):format(response.status), 0)
        end
        return response.body
      end,
    }
  end,

  preview = { fetch = function(number) return number .. " is a good number." end },

  test = { fetch = function(number) return ("This is a fact about %d."):format(number) end },
}

scripted.dependency(numberFact)

-- Tests call `live` with dependencies of their own.
return numberFact
