-- The second step of a login: the code that goes with the token of the first.
local scripted = require "scripted"
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
}:ifLet("alert", scripted.ephemeral)
