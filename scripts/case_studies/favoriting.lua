-- A heart to tap, for whatever can be a favorite, after the case study of The Composable Architecture. It
-- shows the new state at once, tells somebody who keeps it, and takes it back where that fails.
local scripted = require "scripted"
local ui = require "scripted.ui"

local effect = scripted.effect

-- The feature is made for a dependency, the name of which is all that this need know about what is loved:
-- `deps[client].favorite(id, isFavorite)` waits, returns what is so from now on, and raises if it could not.
return function(client)
  return scripted.feature {
    name = "Favoriting",
    state = { id = 0, isFavorite = false },                    -- alert: table?
    dependencies = { client },
    on = {
      -- Ids of effects belong to the element that returned them: a second tap cancels the first one's
      -- request, and nobody else's.
      buttonTapped = function(state)
        state.isFavorite = not state.isFavorite
        local id, isFavorite = state.id, state.isFavorite
        return effect.run(function(send, deps)
          send("response", { result = effect.result(deps[client].favorite, id, isFavorite) })
        end):cancellable("request", { cancelInFlight = true })
      end,

      ["response.result.success"] = function(state, action) state.isFavorite = action.result.success end,

      ["response.result.failure"] = function(state, action)
        state.alert = { title = action.result.failure.message, buttons = {} }
      end,

      ["alert.dismiss"] = function(state) state.isFavorite = not state.isFavorite end,
    },
    view = function(state)
      return ui.group {
        alert = "alert",
        ui.toggle { label = "Favorite", value = state.isFavorite, onChange = "buttonTapped" },
      }
    end,
  }:ifLet("alert", scripted.ephemeral)
end
