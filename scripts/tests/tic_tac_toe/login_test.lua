local test = require "scripted.test"
local Login = require "tic_tac_toe.login"
local TwoFactor = require "tic_tac_toe.two_factor"

local firstStep = { token = "deadbeef", twoFactorRequired = true }

describe("Login", function()
  local clock

  before_each(function() clock = test.clock() end)

  local function storeOf(authenticationClient)
    return test.store(Login, { dependencies = { authenticationClient = authenticationClient } })
  end

  -- Fills in the form and taps the button.
  local function logIn(store, email, password)
    store:send("binding.email", email, function(state) state.email = email end)
    store:send("binding.password", password, function(state)
      state.password = password
      state.isFormValid = true
    end)
    store:send("loginButtonTapped", function(state) state.isLoginRequestInFlight = true end)
  end

  local function receiveFirstStep(store)
    store:receive("loginResponse", { result = { success = firstStep } }, function(state)
      state.isLoginRequestInFlight = false
      state.twoFactor = TwoFactor.initial { token = "deadbeef" }
    end)
  end

  local function submitCode(store)
    store:send("twoFactor.binding.code", "1234", function(state)
      state.twoFactor.code = "1234"
      state.twoFactor.isFormValid = true
    end)
    store:send("twoFactor.submitButtonTapped", function(state)
      state.twoFactor.isTwoFactorRequestInFlight = true
    end)
  end

  it("goes through a second step if the service asks for one", function()
    local store = storeOf {
      login = function() return firstStep end,
      twoFactor = function() return { token = "deadbeefdeadbeef", twoFactorRequired = false } end,
    }

    logIn(store, "2fa@example.com", "password")
    receiveFirstStep(store)
    submitCode(store)
    store:receive("twoFactor.twoFactorResponse.result.success", function(state)
      state.twoFactor.isTwoFactorRequestInFlight = false
    end)
  end)

  -- The answer would come in a second; the child's effects go with the child.
  it("cancels the second step's request when the step is dismissed", function()
    local store = storeOf {
      login = function() return firstStep end,
      twoFactor = function() clock.sleep(1) end,
    }

    logIn(store, "2fa@example.com", "password")
    receiveFirstStep(store)
    submitCode(store)
    store:send("twoFactor.dismiss", function(state) state.twoFactor = nil end)
    clock:advance(1)
  end)

  it("shows why it failed", function()
    local store = storeOf { login = function() error { code = "invalidUserPassword", message = "No such user." } end }

    logIn(store, "blob@example.com", "wrong")
    store:receive("loginResponse.result.failure", function(state)
      state.alert = { title = "No such user." }
      state.isLoginRequestInFlight = false
    end)
    store:send("alert.dismiss", function(state) state.alert = nil end)
  end)

  it("needs both an address and a password", function()
    local store = storeOf {}

    store:send("binding.email", "blob@example.com", function(state) state.email = "blob@example.com" end)
    store:send("binding.password", "p", function(state)
      state.password = "p"
      state.isFormValid = true
    end)
    store:send("binding.email", "", function(state)
      state.email = ""
      state.isFormValid = false
    end)
  end)
end)
