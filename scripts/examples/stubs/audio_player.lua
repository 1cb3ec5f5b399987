-- For `--dependency audioPlayer=@scripts/examples/stubs/audio_player.lua`: each memo takes a second and a quarter.
local deps = ...

return {
  play = function()
    deps.clock.sleep(1.25)
    return true
  end,
}
