-- The second step of a login: the code that goes with the token of the first.
local scripted = require "scripted"
local ui = require "scripted.ui"
require "tic_tac_toe.authentication_client"

local effect = scripted.effect

return scripted.feature {
  name = "TwoFactor",
  state = { code = "", isFormValid = false, isTwoFactorRequestInFlight = false, token = "" },   -- alert
  dependencies = { "authenticationClient" },
  binding = true,
  on = {
    -- Runs when the value has been written.
    ["binding.code"] = function(state) state.isFormValid = utf8.len(state.code) >= 4 end,

    submitButtonTapped = function(state)
      state.isTwoFactorRequestInFlight = true
      local code, token = state.code, state.token
      return effect.run(function(send, deps)
        send("twoFactorResponse", { result = effect.result(deps.authenticationClient.twoFactor, code, token) })
      end)
    end,

    -- What comes of a success is the parent's business.
    ["twoFactorResponse.result.success"] = function(state) state.isTwoFactorRequestInFlight = false end,

    ["twoFactorResponse.result.failure"] = function(state, action)
      state.alert = { title = action.result.failure.message }
      state.isTwoFactorRequestInFlight = false
    end,
  },
  view = function(state)
    local isLoading = state.isTwoFactorRequestInFlight
    return ui.screen {
      title = "Confirmation code", alert = "alert",
      ui.text { "The code that was sent to you is 1234.", tone = "secondary" },
      ui.form {
        onSubmit = state.isFormValid and "submitButtonTapped" or nil, disabled = isLoading,
        ui.textField { label = "Code", prompt = "1234", bind = "code", keyboard = "number" },
        ui.row {
          ui.button { "Submit", action = "submitButtonTapped", role = "primary", disabled = not state.isFormValid },
          isLoading and ui.progress { label = "Checking the code", style = "spinner" },
        },
      },
    }
  end,
}:ifLet("alert", scripted.ephemeral)
