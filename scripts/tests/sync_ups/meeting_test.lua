local test = require "scripted.test"
local Meeting = require "sync_ups.meeting"
local SyncUp = require "sync_ups.sync_up"

describe("Meeting", function()
  local function viewOf(transcript)
    return test.view(Meeting, {
      state = { meeting = { id = "1", date = 1893456000, transcript = transcript }, syncUp = SyncUp.mocks[2] },
    })
  end

  it("shows who was there, and what was said", function()
    assert.matches_snapshot(viewOf("We drew a circle."):text())
  end)

  it("says that nothing was written down", function()
    local transcript = viewOf(""):find("section", "Transcript")
    assert.is_not_nil(transcript:query("text", "Nothing was written down."))
  end)
end)
