-- A value that some features change and others only show, after the case study of The Composable Architecture:
-- how many pictures of the screen were taken, by the system or by the editor. A third feature runs an
-- `onChange` for each change, also for those of other features, and fetches a fact about the number.
--
-- Try it with `--dependency screenshots.taken=@scripts/examples/stubs/screenshots.lua` and
-- `--dependency numberFact.fetch=@scripts/examples/stubs/number_fact.lua` behind `runner dev
-- case_studies.shared_state.notifications`: send `task`, or `editor.pictureButtonTapped`, and look at `facts`.
local scripted = require "scripted"
local ui = require "scripted.ui"
require "number_fact"
require "screenshots"

local effect = scripted.effect

local pictureCount = scripted.shared.inMemory("pictureCount", 0)

local Editor = scripted.feature {
  name = "Editor",
  state = {},
  shared = { pictureCount = pictureCount },
  on = {
    pictureButtonTapped = function(state) state.pictureCount = state.pictureCount + 1 end,
  },
  view = function() return ui.button { "Take a picture", action = "pictureButtonTapped", role = "primary" } end,
}

-- A reader shows the value and cannot write it. `onChange` runs for changes that are made elsewhere as well, so
-- no code tells this feature of them.
local Facts = scripted.feature {
  name = "Facts",
  state = {},                                                  -- fact: string?
  shared = { pictureCount = pictureCount:reader() },
  dependencies = { "numberFact" },
  on = {
    -- Absent after a failure.
    factResponse = function(state, action) state.fact = action.result.success end,
  },
  view = function(state) return state.fact and ui.text { state.fact, announce = true } end,
}:onChange("pictureCount", function(_, _, count)
  return effect.run(function(send, deps)
    send("factResponse", { result = effect.result(deps.numberFact.fetch, count) })
  end):cancellable("fact", { cancelInFlight = true })
end)

return scripted.feature {
  name = "Notifications",
  state = { editor = Editor.initial(), facts = Facts.initial() },
  shared = { pictureCount = pictureCount },
  dependencies = { "screenshots" },
  on = {
    -- A host cancels the task when the screen goes.
    task = function()
      return effect.run(function(send, deps)
        for _ in deps.screenshots.taken() do send("userDidTakeScreenshot") end
      end):cancellable("screenshots", { cancelInFlight = true })
    end,

    userDidTakeScreenshot = function(state) state.pictureCount = state.pictureCount + 1 end,
  },
  view = function(state)
    return ui.screen {
      title = "Pictures of the screen", task = "task",
      ui.number { label = "Pictures", value = state.pictureCount },
      ui.child "editor",
      ui.child "facts",
    }
  end,
}
  :scope("editor", Editor)
  :scope("facts", Facts)
