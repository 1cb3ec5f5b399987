-- scripts/keys.lua
local shared = require("scripted").shared

return {
  syncUps = shared.fileStorage("sync-ups.json", {
    {
      id = "1", title = "Design", minutes = 5,
      attendees = { { id = "a", name = "Blob" }, { id = "b", name = "Blob Jr." } },
    },
    { id = "2", title = "Product", minutes = 10, attendees = { { id = "a", name = "Blob" } } },
  }),
}
