-- A game of tic-tac-toe, in a child that knows nothing of who shows it: to leave, it asks to be dismissed.
local scripted = require "scripted"

local effect = scripted.effect

-- The eight lines of three, as { row, column }.
local lines = { { { 1, 1 }, { 2, 2 }, { 3, 3 } }, { { 1, 3 }, { 2, 2 }, { 3, 1 } } }
for i = 1, 3 do
  table.insert(lines, { { i, 1 }, { i, 2 }, { i, 3 } })
  table.insert(lines, { { 1, i }, { 2, i }, { 3, i } })
end

local function hasWon(board, player)
  for _, line in ipairs(lines) do
    local count = 0
    for _, cell in ipairs(line) do
      if board[cell[1]][cell[2]] == player then count = count + 1 end
    end
    if count == 3 then return true end
  end
  return false
end

local Game
Game = scripted.feature {
  name = "Game",
  state = {
    -- Three rows of cells. An array has no holes, so a free cell is false.
    board = { { false, false, false }, { false, false, false }, { false, false, false } },
    currentPlayer = "x",                -- or "o"; the winner's when the game is won
    oPlayerName = "",
    xPlayerName = "",
  },
  on = {
    -- { row = 1…3, column = 1…3 }
    cellTapped = function(state, action)
      local row = state.board[action.row]
      if row[action.column] or hasWon(state.board, "x") or hasWon(state.board, "o") then return end

      local player = state.currentPlayer
      row[action.column] = player
      if not hasWon(state.board, player) then state.currentPlayer = player == "x" and "o" or "x" end
    end,

    playAgainButtonTapped = function(state)
      scripted.replace(state, Game.initial {
        oPlayerName = state.oPlayerName, xPlayerName = state.xPlayerName,
      })
    end,

    quitButtonTapped = function() return effect.dismiss() end,
  },
}

return Game
