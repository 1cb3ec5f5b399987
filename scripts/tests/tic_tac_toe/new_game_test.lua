local test = require "scripted.test"
local Game = require "tic_tac_toe.game"
local NewGame = require "tic_tac_toe.new_game"

describe("NewGame", function()
  it("presents a game, until it quits or is dismissed", function()
    local store = test.store(NewGame)
    local names = { oPlayerName = "Blob Sr.", xPlayerName = "Blob Jr." }

    for key, name in pairs(names) do
      store:send("binding." .. key, name, function(state) state[key] = name end)
    end

    store:send("letsPlayButtonTapped", function(state) state.game = Game.initial(names) end)
    store:send("game.cellTapped", { row = 1, column = 1 }, function(state)
      state.game.board[1][1] = "x"
      state.game.currentPlayer = "o"
    end)

    -- The game asks for it, and what presents it lets it go.
    store:send("game.quitButtonTapped")
    store:receive("game.dismiss", function(state) state.game = nil end)

    -- Or a swipe does.
    store:send("letsPlayButtonTapped", function(state) state.game = Game.initial(names) end)
    store:send("game.dismiss", function(state) state.game = nil end)

    store:send("logoutButtonTapped")
  end)
end)
