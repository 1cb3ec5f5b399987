-- For `--dependency speechClient=@scripts/examples/stubs/speech_client.lua`: two words a second.
local deps = ...

return {
  authorizationStatus = function() return "authorized" end,
  transcripts = function()
    local transcripts = { "We", "We are", "We are done" }
    local index = 0
    return function()
      index = index + 1
      if transcripts[index] then deps.clock.sleep(0.5) end
      return transcripts[index]
    end
  end,
}
