-- Asks for the players' names and presents their game.
local scripted = require "scripted"
local ui = require "scripted.ui"
local Game = require "tic_tac_toe.game"

return scripted.feature {
  name = "NewGame",
  state = { oPlayerName = "", xPlayerName = "" },        -- game: Game's, while one is played
  binding = true,                                        -- the names are text fields
  actions = { "logoutButtonTapped" },                    -- for the parent
  on = {
    letsPlayButtonTapped = function(state)
      state.game = Game.initial { oPlayerName = state.oPlayerName, xPlayerName = state.xPlayerName }
    end,
  },
  view = function(state)
    local canPlay = state.xPlayerName ~= "" and state.oPlayerName ~= ""
    return ui.screen {
      title = "New game", cover = "game",
      ui.form {
        onSubmit = canPlay and "letsPlayButtonTapped" or nil,
        ui.textField { label = "X player", prompt = "Blob Sr.", bind = "xPlayerName" },
        ui.textField { label = "O player", prompt = "Blob Jr.", bind = "oPlayerName" },
        ui.button { "Let’s play", action = "letsPlayButtonTapped", role = "primary", disabled = not canPlay },
      },
      ui.toolbar { ui.button { "Log out", action = "logoutButtonTapped" } },
    }
  end,
}:ifLet("game", Game)
