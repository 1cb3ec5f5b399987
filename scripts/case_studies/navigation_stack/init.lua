-- A stack of screens, after the case study of The Composable Architecture. The path is a list in the state:
-- to go somewhere is to append, to go back is to remove.
local scripted = require "scripted"
local ui = require "scripted.ui"
local ScreenA = require "case_studies.navigation_stack.screen_a"
local ScreenB = require "case_studies.navigation_stack.screen_b"
local ScreenC = require "case_studies.navigation_stack.screen_c"

local list = scripted.list

local function screenA() return { screenA = ScreenA.initial() } end
local function screenB() return { screenB = ScreenB.initial() } end
local function screenC() return { screenC = ScreenC.initial() } end

local titles = { screenA = "Screen A", screenB = "Screen B", screenC = "Screen C" }

-- The screens of the path, to go back to any of them, and the sum of their counts.
local function overview(path)
  local names, total = {}, 0
  for index, element in ipairs(path) do
    for case, title in pairs(titles) do
      local screen = element[case]
      if screen then
        total = total + (screen.count or 0)
        names[index] = { id = element.id, title = ("%d. %s"):format(index, title) }
      end
    end
  end
  local last = #names
  return ui.section {
    title = "Navigation stack",
    ui.row {
      wrap = true,
      ui.forEach(names, function(name, index)
        return ui.button {
          name.title, action = { "goBackToScreen", { id = name.id } }, style = "plain", disabled = index == last,
        }
      end),
    },
    ui.number { label = "Total count", value = total },
    ui.button { "Pop to root", action = "popToRoot" },
  }
end

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

  -- What is pushed is the payload of the action.
  view = function(state)
    return ui.column {
      ui.navigation {
        path = "path",
        ui.screen {
          title = "Root",
          ui.link { "Screen A", action = { "path.push", { state = screenA() } } },
          ui.link { "Screen B", action = { "path.push", { state = screenB() } } },
          ui.link { "Screen C", action = { "path.push", { state = screenC() } } },
          ui.link { "Screens A, B and C", action = "goToABCButtonTapped" },
        },
      },
      #state.path > 0 and overview(state.path),
    }
  end,
}:stack("path", scripted.cases { screenA = ScreenA, screenB = ScreenB, screenC = ScreenC })
