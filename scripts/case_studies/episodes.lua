-- Episodes that can be favorites, after the case study of The Composable Architecture: how a feature embeds
-- a component that others use as well.
local scripted = require "scripted"
local ui = require "scripted.ui"
local favoriting = require "case_studies.favoriting"
require "case_studies.episode_client"

-- The component's state is a view of the episode's own: made for each of its actions, and put back.
local Episode = scripted.feature {
  name = "Episode",
  state = { id = 0, title = "", isFavorite = false },          -- alert: table?
  view = function(state) return ui.row { ui.text { state.title, grow = true }, ui.child "favorite" } end,
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
  view = function() return ui.screen { title = "Episodes", ui.list { ui.forEach "episodes" } } end,
}:forEach("episodes", Episode)
