-- For `--dependency audioRecorder=@scripts/examples/stubs/audio_recorder.lua`: the one of previews.
local deps = ...

return require("voice_memos.audio_recorder").preview(deps)
