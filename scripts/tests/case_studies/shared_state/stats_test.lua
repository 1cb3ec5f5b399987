local prime = require "case_studies.shared_state.prime"
local Stats = require "case_studies.shared_state.stats"

describe("Statistics", function()
  local function migrated(stats)
    Stats.migrate(stats)
    return stats
  end

  it("of version 1 had the count alone", function()
    assert.are.same({ count = 7, maxCount = 7, minCount = 0, numberOfCounts = 7 }, migrated({ count = 7 }))
    assert.are.same({ count = -2, maxCount = 0, minCount = -2, numberOfCounts = 2 }, migrated({ count = -2 }))
  end)
end)

describe("Prime numbers", function()
  it("have no divisors but one and themselves", function()
    local primes = {}
    for number = -1, 30 do
      if prime.isPrime(number) then table.insert(primes, number) end
    end
    assert.are.same({ 2, 3, 5, 7, 11, 13, 17, 19, 23, 29 }, primes)
  end)
end)
