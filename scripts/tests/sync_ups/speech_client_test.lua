local speechClient = require "sync_ups.speech_client"

describe("The speech client", function()
  it("needs a host with a microphone", function()
    assert.error_matches(speechClient.live.transcripts, "the host gives speech")
  end)

  it("says a sentence in previews, word by word", function()
    local waited = 0
    local clock = { sleep = function(seconds) waited = waited + seconds end }
    local transcripts = {}

    for transcript in speechClient.preview({ clock = clock }).transcripts() do
      table.insert(transcripts, transcript)
    end

    assert.are.equal("We", transcripts[1])
    assert.are.equal("We have", transcripts[2])
    assert.matches("tomorrow$", transcripts[#transcripts])
    assert.near(2.65, waited, 1e-9)
  end)
end)
