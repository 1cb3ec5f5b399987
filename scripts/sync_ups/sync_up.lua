-- What a sync-up is: plain tables, and what several features do with them.
local scripted = require "scripted"

local SyncUp = {}

SyncUp.themes = {
  "bubblegum", "buttercup", "indigo", "lavender", "magenta", "navy", "orange", "oxblood", "periwinkle", "poppy",
  "purple", "seafoam", "sky", "tan", "teal", "yellow",
}

function SyncUp.attendee(id) return { id = id, name = "" } end

-- A form shows at least one attendee to type in.
function SyncUp.new(id, attendeeId)
  return {
    id = id,
    attendees = { SyncUp.attendee(attendeeId) },
    duration = 5 * 60,                      -- seconds
    meetings = scripted.array {},           -- { { id, date, transcript }, … }, the last one first
    theme = "bubblegum",
    title = "",
  }
end

-- How long each may speak, in whole seconds.
function SyncUp.durationPerAttendee(syncUp) return syncUp.duration // #syncUp.attendees end

-- Sync-ups to try the application with.
SyncUp.mocks = {
  {
    id = "design",
    attendees = {
      { id = "1", name = "Blob" }, { id = "2", name = "Blob Jr." }, { id = "3", name = "Blob Sr." },
      { id = "4", name = "Blob Esq." }, { id = "5", name = "Blob III" }, { id = "6", name = "Blob I" },
    },
    duration = 60,
    meetings = {
      { id = "kick-off", date = 1893456000, transcript = "We drew a circle, and then another one." },
    },
    theme = "orange",
    title = "Design",
  },
  {
    id = "engineering",
    attendees = { { id = "1", name = "Blob" }, { id = "2", name = "Blob Jr." } },
    duration = 10 * 60,
    meetings = scripted.array {},
    theme = "periwinkle",
    title = "Engineering",
  },
  {
    id = "product",
    attendees = { { id = "1", name = "Blob Sr." }, { id = "2", name = "Blob Jr." } },
    duration = 30 * 60,
    meetings = scripted.array {},
    theme = "poppy",
    title = "Product",
  },
}

return SyncUp
