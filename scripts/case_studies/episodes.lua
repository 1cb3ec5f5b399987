-- Episodes that can be favorites, after the case study of The Composable Architecture: how a feature embeds
-- a component that others use as well.
local scripted = require "scripted"
local favoriting = require "case_studies.favoriting"

-- Keeps which episodes are favorites. This one takes a second, and fails one time in four.
scripted.dependency {
  name = "episodeClient",
  live = function(deps)
    return {
      favorite = function(_, isFavorite)
        deps.clock.sleep(1)
        if deps.random.number() < 0.25 then error("Favoriting failed.", 0) end
        return isFavorite
      end,
    }
  end,
}

-- The component's state is a view of the episode's own: made for each of its actions, and put back.
local Episode = scripted.feature {
  name = "Episode",
  state = { id = 0, title = "", isFavorite = false },          -- alert: table?
  on = {},
}:scope({
  get = function(state)
    return { id = state.id, isFavorite = state.isFavorite, alert = state.alert }
  end,
  set = function(state, favorite)
    state.isFavorite, state.alert = favorite.isFavorite, favorite.alert
  end,
}, favoriting "episodeClient", { action = "favorite" })

local function episode(id, title) return Episode.initial { id = id, title = title } end

return scripted.feature {
  name = "Episodes",
  state = {
    episodes = {
      episode(1, "Functions"),
      episode(2, "Side effects"),
      episode(3, "Algebraic data types"),
      episode(4, "Parsers"),
    },
  },
  on = {},
}:forEach("episodes", Episode)
