-- Maps of cities that can be downloaded, after the case study of The Composable Architecture: one component
-- in every element of a list, each with a download of its own.
local scripted = require "scripted"
local ui = require "scripted.ui"
local DownloadComponent = require "case_studies.offline_downloads.download_component"

local CityMap = scripted.feature {
  name = "CityMap",
  state = { id = 0, title = "", blurb = "", downloadComponent = DownloadComponent.initial() },
  view = function(state)
    return ui.section {
      title = state.title,
      ui.text { state.blurb, tone = "secondary" },
      ui.child "downloadComponent",
    }
  end,
}:scope("downloadComponent", DownloadComponent)

local function cityMap(id, title, blurb)
  return CityMap.initial {
    id = id,
    title = title,
    blurb = blurb,
    downloadComponent = DownloadComponent.initial {
      url = "http://ipv4.download.thinkbroadband.com/50MB.zip",
    },
  }
end

return scripted.feature {
  name = "CityMaps",
  state = {
    cityMaps = {
      cityMap(1, "New York", "Five boroughs, and more people than any other city of the country."),
      cityMap(2, "Los Angeles", "Sun, films, and a long way from one end to the other."),
      cityMap(3, "Paris", "Twenty districts that wind like the shell of a snail."),
      cityMap(4, "Tokyo", "Many towns that grew into the largest city of the world."),
      cityMap(5, "Buenos Aires", "Fair winds, wide avenues and late dinners."),
    },
  },
  view = function() return ui.screen { title = "Offline downloads", ui.forEach "cityMaps" } end,
}:forEach("cityMaps", CityMap)
