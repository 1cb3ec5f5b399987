-- A stack of screens, after the case study of The Composable Architecture. The path is a list in the state:
-- to go somewhere is to append, to go back is to remove.
local scripted = require "scripted"
local ScreenA = require "case_studies.navigation_stack.screen_a"
local ScreenB = require "case_studies.navigation_stack.screen_b"
local ScreenC = require "case_studies.navigation_stack.screen_c"

local list = scripted.list

local function screenA() return { screenA = ScreenA.initial() } end
local function screenB() return { screenB = ScreenB.initial() } end
local function screenC() return { screenC = ScreenC.initial() } end

return scripted.feature {
  name = "NavigationStack",
  state = { path = scripted.array {} },
  on = {
    -- The stack gives each its id when the action ends.
    goToABCButtonTapped = function(state)
      table.insert(state.path, screenA())
      table.insert(state.path, screenB())
      table.insert(state.path, screenC())
    end,

    -- { id = of a screen in the path }
    goBackToScreen = function(state, action)
      local index = list.indexOf(state.path, action.id)
      if not index then error("no screen in the path has the id " .. tostring(action.id)) end
      for above = #state.path, index + 1, -1 do table.remove(state.path, above) end
    end,

    popToRoot = function(state) state.path = scripted.array {} end,

    -- Screen B only says what was tapped: where that leads is for the one to decide who has the path.
    ["path[*].screenB.screenAButtonTapped"] = function(state) table.insert(state.path, screenA()) end,
    ["path[*].screenB.screenBButtonTapped"] = function(state) table.insert(state.path, screenB()) end,
    ["path[*].screenB.screenCButtonTapped"] = function(state) table.insert(state.path, screenC()) end,
  },
}:stack("path", scripted.cases { screenA = ScreenA, screenB = ScreenB, screenC = ScreenC })
