local scripted = require "scripted"
local test = require "scripted.test"
local TicTacToe = require "tic_tac_toe"
local Login = require "tic_tac_toe.login"
local NewGame = require "tic_tac_toe.new_game"
local TwoFactor = require "tic_tac_toe.two_factor"

describe("TicTacToe", function()
  local function storeOf(authenticationClient)
    return test.store(TicTacToe, { dependencies = { authenticationClient = authenticationClient } })
  end

  local function logIn(store)
    store:send("login.binding.email", "blob@example.com", function(state)
      state.login.email = "blob@example.com"
    end)
    store:send("login.binding.password", "password", function(state)
      state.login.password = "password"
      state.login.isFormValid = true
    end)
    store:send("login.loginButtonTapped", function(state) state.login.isLoginRequestInFlight = true end)
  end

  it("goes from the login to a new game, and back", function()
    local store = storeOf {
      login = function() return { token = "deadbeef", twoFactorRequired = false } end,
    }

    logIn(store)
    store:receive("login.loginResponse.result.success", function(state)
      scripted.replace(state, { newGame = NewGame.initial() })
    end)
    store:send("newGame.binding.oPlayerName", "Blob Sr.", function(state)
      state.newGame.oPlayerName = "Blob Sr."
    end)
    store:send("newGame.logoutButtonTapped", function(state)
      scripted.replace(state, { login = Login.initial() })
    end)
  end)

  it("goes on after the second step of a login", function()
    local store = storeOf {
      login = function() return { token = "deadbeef", twoFactorRequired = true } end,
      twoFactor = function() return { token = "deadbeefdeadbeef", twoFactorRequired = false } end,
    }

    logIn(store)
    store:receive("login.loginResponse.result.success", function(state)
      state.login.isLoginRequestInFlight = false
      state.login.twoFactor = TwoFactor.initial { token = "deadbeef" }
    end)
    store:send("login.twoFactor.binding.code", "1234", function(state)
      state.login.twoFactor.code = "1234"
      state.login.twoFactor.isFormValid = true
    end)
    store:send("login.twoFactor.submitButtonTapped", function(state)
      state.login.twoFactor.isTwoFactorRequestInFlight = true
    end)
    store:receive("login.twoFactor.twoFactorResponse.result.success", function(state)
      scripted.replace(state, { newGame = NewGame.initial() })
    end)
  end)

  describe("its screen", function()
    it("is the login, or a new game", function()
      local view = test.view(TicTacToe, {
        dependencies = { authenticationClient = { login = function() return { twoFactorRequired = false } end } },
      })
      assert.are.equal("Login", view:find("screen").name)

      logIn(view.store)
      view.store:receive("login.loginResponse.result.success", function(state)
        scripted.replace(state, { newGame = NewGame.initial() })
      end)
      assert.are.equal("New game", view:find("screen").name)
      view:find("button", "Log out"):tap(function(state) scripted.replace(state, { login = Login.initial() }) end)
      assert.are.equal("Login", view:find("screen").name)
    end)
  end)
end)
