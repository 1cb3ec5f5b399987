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

  describe("its screen", function()
    local function viewOf(authenticationClient)
      return test.view(Login, { dependencies = { authenticationClient = authenticationClient } })
    end

    local function fillIn(view)
      view:find("textField", "Email"):type("2fa@example.com", function(state) state.email = "2fa@example.com" end)
      view:find("secureField", "Password"):type("password", function(state)
        state.password, state.isFormValid = "password", true
      end)
    end

    local function inFlight(state) state.isLoginRequestInFlight = true end

    it("cannot be used before it is filled in, nor while it waits", function()
      local view = viewOf { login = test.never }
      assert.matches_snapshot(view:text())
      assert.is_true(view:find("button", "Log in").disabled)

      fillIn(view)
      local task = view:find("button", "Log in"):tap(inFlight)
      assert.matches_snapshot(view:text())
      assert.is_true(view:find("textField", "Email").disabled)
      assert.is_not_nil(view:query("progress", "Logging in"))
      task:cancel()
    end)

    it("is submitted by the return key, and asks for a code", function()
      local view = viewOf { login = function() return firstStep end }

      fillIn(view)
      view:find("secureField", "Password"):submit(inFlight)
      receiveFirstStep(view.store)
      view:find("textField", "Code"):type("123", function(state) state.twoFactor.code = "123" end)
      assert.matches_snapshot(view:text())
      view:dismiss(function(state) state.twoFactor = nil end)
      assert.is_not_nil(view:query("button", "Log in"))
    end)

    it("says what is wrong", function()
      local view = viewOf { login = function() error { message = "There is no such user." } end }

      fillIn(view)
      view:find("button", "Log in"):tap(inFlight)
      view.store:receive("loginResponse.result.failure", function(state)
        state.isLoginRequestInFlight, state.alert = false, { title = "There is no such user." }
      end)
      assert.error_matches(function() view:find("button", "Log in") end, "covered by the alert")
      view:find("button", "OK"):tap(function(state) state.alert = nil end)
      assert.is_nil(view:query("alert"))
    end)
  end)
end)
