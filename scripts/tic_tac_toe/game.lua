-- A game of tic-tac-toe, in a child that knows nothing of who shows it: to leave, it asks to be dismissed.
local scripted = require "scripted"
local ui = require "scripted.ui"

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

local function isFull(board)
  for _, row in ipairs(board) do
    for _, cell in ipairs(row) do
      if not cell then return false end
    end
  end
  return true
end

local marks = { x = "X", o = "O" }

-- A cell that is taken stays a button, so that the focus stays where it was.
local function cellView(row, column, player)
  return ui.button {
    marks[player] or " ", label = ("Row %d, column %d: %s"):format(row, column, marks[player] or "free"),
    action = { "cellTapped", { row = row, column = column } },
  }
end

local function boardView(board)
  local cells = { columns = 3, label = "Board" }
  for row = 1, 3 do
    for column = 1, 3 do table.insert(cells, cellView(row, column, board[row][column])) end
  end
  return ui.grid(cells)
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
  view = function(state)
    local board, player = state.board, state.currentPlayer
    local hasWinner = hasWon(board, player)
    local isOver = hasWinner or isFull(board)
    local name = player == "x" and state.xPlayerName or state.oPlayerName
    if name == "" then name = "Somebody" end

    return ui.screen {
      title = "Tic-tac-toe",
      ui.text {
        hasWinner and ("%s has won."):format(name) or isOver and "Nobody has won."
          or ("%s plays %s."):format(name, marks[player]),
        announce = true,
      },
      boardView(board),
      ui.toolbar {
        isOver and ui.button { "Play again", action = "playAgainButtonTapped", role = "primary" },
        ui.button { "Quit", action = "quitButtonTapped" },
      },
    }
  end,
}

return Game
