local test = require "scripted.test"
local TwoFactor = require "tic_tac_toe.two_factor"

describe("TwoFactor", function()
  local function storeOf(twoFactor)
    return test.store(TwoFactor, {
      state = { token = "deadbeef" },
      dependencies = { authenticationClient = { twoFactor = twoFactor } },
    })
  end

  local function submit(store)
    store:send("submitButtonTapped", function(state) state.isTwoFactorRequestInFlight = true end)
  end

  it("sends a code of four digits with its token", function()
    local response = { token = "deadbeefdeadbeef", twoFactorRequired = false }
    local twoFactor = spy(function() return response end)
    local store = storeOf(function(code, token) return twoFactor(code, token) end)

    for _, code in ipairs { "1", "12", "123" } do
      store:send("binding.code", code, function(state) state.code = code end)
    end
    store:send("binding.code", "1234", function(state)
      state.code = "1234"
      state.isFormValid = true
    end)
    submit(store)
    store:receive("twoFactorResponse", { result = { success = response } }, function(state)
      state.isTwoFactorRequestInFlight = false
    end)
    assert.spy(twoFactor).was.called_with("1234", "deadbeef")
  end)

  it("shows what is wrong with a code", function()
    local store = storeOf(function() error { code = "invalidTwoFactor", message = "Wrong code." } end)

    store:send("binding.code", "4321", function(state)
      state.code = "4321"
      state.isFormValid = true
    end)
    submit(store)
    store:receive("twoFactorResponse.result.failure", function(state)
      state.alert = { title = "Wrong code." }
      state.isTwoFactorRequestInFlight = false
    end)
    store:send("alert.dismiss", function(state) state.alert = nil end)
  end)

  describe("its screen", function()
    it("takes a code of four digits", function()
      local view = test.view(TwoFactor, {
        state = { token = "deadbeef" },
        dependencies = { authenticationClient = { twoFactor = test.never } },
      })
      assert.matches_snapshot(view:text())

      view:find("textField", "Code"):type("123", function(state) state.code = "123" end)
      assert.error_matches(function() view:find("textField", "Code"):submit() end, "one cannot submit")
      view:find("textField", "Code"):type("4", function(state) state.code, state.isFormValid = "1234", true end)
      local task = view:find("textField", "Code"):submit(function(state) state.isTwoFactorRequestInFlight = true end)
      assert.is_true(view:find("button", "Submit").disabled)
      assert.is_not_nil(view:query("progress", "Checking the code"))
      task:cancel()
    end)

    it("says what is wrong with one", function()
      local function twoFactor() error { code = "invalidTwoFactor", message = "Wrong code." } end
      local view = test.view(TwoFactor, {
        state = { code = "4321", isFormValid = true, token = "deadbeef" },
        dependencies = { authenticationClient = { twoFactor = twoFactor } },
      })

      view:find("button", "Submit"):tap(function(state) state.isTwoFactorRequestInFlight = true end)
      view.store:receive("twoFactorResponse.result.failure", function(state)
        state.isTwoFactorRequestInFlight, state.alert = false, { title = "Wrong code." }
      end)
      view:find("alert", "Wrong code."):find("button", "OK"):tap(function(state) state.alert = nil end)
      assert.is_false(view:find("button", "Submit").disabled)
    end)
  end)
end)
