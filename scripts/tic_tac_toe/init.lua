-- Tic-tac-toe behind a login, after the TicTacToe example of The Composable Architecture. The state is
-- one of two cases; what one of them had in flight is cancelled when it gives way to the other.
local scripted = require "scripted"
local ui = require "scripted.ui"
local Login = require "tic_tac_toe.login"
local NewGame = require "tic_tac_toe.new_game"

local function showNewGame(state) scripted.replace(state, { newGame = NewGame.initial() }) end

return scripted.feature {
  name = "TicTacToe",
  state = { login = Login.initial() },
  on = {
    ["login.loginResponse.result.success"] = function(state, action)
      if not action.result.success.twoFactorRequired then showNewGame(state) end
    end,

    ["login.twoFactor.twoFactorResponse.result.success"] = showNewGame,

    ["newGame.logoutButtonTapped"] = function(state)
      scripted.replace(state, { login = Login.initial() })
    end,
  },
  -- A child that is absent is nothing, so one of the two is shown.
  view = function() return ui.group { ui.child "login", ui.child "newGame" } end,
}:ifCaseLet("login", Login):ifCaseLet("newGame", NewGame)
