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

  describe("its screen", function()
    it("begins a game once both players have a name", function()
      local view = test.view(NewGame)
      assert.matches_snapshot(view:text())
      assert.is_true(view:find("button", "Let’s play").disabled)

      view:find("textField", "X player"):type("Blob", function(state) state.xPlayerName = "Blob" end)
      view:find("textField", "O player"):type("Blub", function(state) state.oPlayerName = "Blub" end)
      view:find("textField", "O player"):submit(function(state)
        state.game = Game.initial { xPlayerName = "Blob", oPlayerName = "Blub" }
      end)
      assert.is_not_nil(view:query("cover", "Tic-tac-toe"))

      view:find("button", "Quit"):tap()
      view.store:receive("game.dismiss", function(state) state.game = nil end)
      view:find("button", "Log out"):tap()
    end)
  end)
end)
