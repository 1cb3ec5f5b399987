local test = require "scripted.test"
local Game = require "tic_tac_toe.game"

describe("Game", function()
  local store

  before_each(function()
    store = test.store(Game, { state = { oPlayerName = "Blob Jr.", xPlayerName = "Blob Sr." } })
  end)

  -- Taps a cell as the player whose turn it is, which it then is not any more.
  local function play(row, column)
    store:send("cellTapped", { row = row, column = column }, function(state)
      state.board[row][column] = state.currentPlayer
      state.currentPlayer = state.currentPlayer == "x" and "o" or "x"
    end)
  end

  local function playWinning(row, column)
    store:send("cellTapped", { row = row, column = column }, function(state)
      state.board[row][column] = state.currentPlayer
    end)
  end

  it("is won by three in a column, and leaves the turn with the winner", function()
    play(1, 1)
    play(3, 2)
    play(2, 1)
    play(2, 2)
    playWinning(3, 1)
    assert.are.equal("x", store.state.currentPlayer)
  end)

  it("is won by three in a row", function()
    play(3, 1)
    play(2, 1)
    play(3, 3)
    play(2, 2)
    playWinning(3, 2)
  end)

  it("is won by three in a diagonal, by o as well", function()
    play(1, 1)
    play(1, 3)
    play(1, 2)
    play(2, 2)
    play(3, 3)
    playWinning(3, 1)
    assert.are.equal("o", store.state.currentPlayer)
    store:send("cellTapped", { row = 2, column = 1 })
  end)

  -- An action whose change is not said changes nothing.
  it("does not take a cell twice, nor one after the end", function()
    play(1, 1)
    store:send("cellTapped", { row = 1, column = 1 })
    play(2, 1)
    play(1, 2)
    play(2, 2)
    playWinning(1, 3)
    store:send("cellTapped", { row = 3, column = 3 })
  end)

  it("begins anew after a tie, with the same players", function()
    for _, cell in ipairs {
      { 1, 1 }, { 3, 3 }, { 2, 1 }, { 3, 1 }, { 3, 2 }, { 2, 3 }, { 1, 3 }, { 1, 2 }, { 2, 2 },
    } do
      play(cell[1], cell[2])
    end
    store:send("playAgainButtonTapped", function(state)
      state.board = Game.initial().board
      state.currentPlayer = "x"
    end)
  end)

  it("asks to be dismissed", function()
    assert.is_false(store.isDismissed)
    store:send("quitButtonTapped")
    assert.is_true(store.isDismissed)
  end)

  describe("its screen", function()
    local view

    before_each(function()
      view = test.view(Game, { state = { oPlayerName = "Blob Jr.", xPlayerName = "Blob Sr." } })
    end)

    local function tap(row, column, isLast)
      view:find("button", ("Row %d, column %d: free"):format(row, column)):tap(function(state)
        state.board[row][column] = state.currentPlayer
        if not isLast then state.currentPlayer = state.currentPlayer == "x" and "o" or "x" end
      end)
    end

    it("says whose turn it is, and who has won", function()
      assert.matches_snapshot(view:text())
      tap(1, 1)
      assert.is_not_nil(view:query("text", "Blob Jr. plays O."))
      tap(3, 2)
      tap(2, 1)
      tap(2, 2)
      assert.is_nil(view:query("button", "Play again"))
      tap(3, 1, true)
      assert.matches_snapshot(view:text())

      view:find("button", "Play again"):tap(function(state)
        state.board, state.currentPlayer = Game.initial().board, "x"
      end)
    end)

    it("says when nobody has won", function()
      local cells = { { 1, 1 }, { 2, 2 }, { 3, 3 }, { 2, 3 }, { 2, 1 }, { 3, 1 }, { 1, 3 }, { 1, 2 }, { 3, 2 } }
      for _, cell in ipairs(cells) do tap(cell[1], cell[2]) end
      assert.is_not_nil(view:query("text", "Nobody has won."))
    end)

    it("asks to be dismissed", function()
      view:find("button", "Quit"):tap()
      assert.is_true(view.store.isDismissed)
    end)
  end)
end)
