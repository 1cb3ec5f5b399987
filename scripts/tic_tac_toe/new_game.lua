-- Asks for the players' names and presents their game.
local scripted = require "scripted"
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
}:ifLet("game", Game)
