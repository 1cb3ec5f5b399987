-- A login form, which presents the second step if the service asks for one.
local scripted = require "scripted"
local ui = require "scripted.ui"
require "tic_tac_toe.authentication_client"
local TwoFactor = require "tic_tac_toe.two_factor"

local effect = scripted.effect

return scripted.feature {
  name = "Login",
  state = { email = "", isFormValid = false, isLoginRequestInFlight = false, password = "" },  -- alert, twoFactor
  dependencies = { "authenticationClient" },
  binding = true,
  on = {
    binding = function(state) state.isFormValid = state.email ~= "" and state.password ~= "" end,

    loginButtonTapped = function(state)
      state.isLoginRequestInFlight = true
      local email, password = state.email, state.password
      return effect.run(function(send, deps)
        send("loginResponse", { result = effect.result(deps.authenticationClient.login, email, password) })
      end)
    end,

    ["loginResponse.result.success"] = function(state, action)
      state.isLoginRequestInFlight = false
      local response = action.result.success
      if response.twoFactorRequired then state.twoFactor = TwoFactor.initial { token = response.token } end
    end,

    ["loginResponse.result.failure"] = function(state, action)
      state.alert = { title = action.result.failure.message }
      state.isLoginRequestInFlight = false
    end,
  },
  view = function(state)
    local isLoading = state.isLoginRequestInFlight
    return ui.screen {
      title = "Login", alert = "alert", cover = "twoFactor",
      ui.text {
        "Any email will do, with “password” as the password. With “2fa” in the email, a code is asked for as well.",
        tone = "secondary",
      },
      ui.form {
        onSubmit = state.isFormValid and "loginButtonTapped" or nil, disabled = isLoading,
        ui.textField { label = "Email", prompt = "blob@example.com", bind = "email", keyboard = "email" },
        ui.secureField { label = "Password", bind = "password" },
        ui.row {
          ui.button {
            "Log in", action = "loginButtonTapped", role = "primary", disabled = not state.isFormValid,
          },
          isLoading and ui.progress { label = "Logging in", style = "spinner" },
        },
      },
    }
  end,
}:ifLet("alert", scripted.ephemeral):ifLet("twoFactor", TwoFactor)
