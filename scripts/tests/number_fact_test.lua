local numberFact = require "number_fact"

-- The live functions are called with dependencies of the test's own, so nothing leaves the machine.
describe("Number facts", function()
  local function factsOf(response)
    local http = { get = spy(function() return response end) }
    return numberFact.live { http = http, numberFactService = "http://facts" }, http
  end

  it("are what the service answers", function()
    local facts, http = factsOf { status = 200, body = "42 is the answer." }

    assert.are.equal("42 is the answer.", facts.fetch(42))
    assert.spy(http.get).was.called_with("http://facts/42/trivia")
  end)

  it("fail with the status of the answer", function()
    local facts = factsOf { status = 503, body = "later" }

    assert.has_error(
      function() facts.fetch(42) end, "the service of number facts answered with 503")
  end)

  it("need no service in previews and tests", function()
    assert.are.equal("7 is a good number.", numberFact.preview.fetch(7))
    assert.are.equal("This is a fact about 7.", numberFact.test.fetch(7))
  end)
end)
