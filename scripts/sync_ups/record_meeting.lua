-- A meeting: each attendee speaks for a part of the time, and what is said is written down. In the end the
-- meeting is added to the sync-up, of which this has a copy, and the parent is told to keep it.
local scripted = require "scripted"
local ui = require "scripted.ui"
local SyncUp = require "sync_ups.sync_up"
require "sync_ups.speech_client"

local effect = scripted.effect

local save = { label = "Save and end", action = "confirmSave" }
local discard = { label = "Discard", role = "destructive", action = "confirmDiscard" }
local resume = { label = "Resume", role = "cancel" }

local alerts = {
  endMeeting = {
    title = "End the meeting?",
    message = "Its time is not over yet.",
    buttons = { save, discard, resume },
  },
  -- After the last speaker there is something to save.
  noMoreSpeakers = {
    title = "End the meeting?",
    message = "Everybody has spoken, and there is time left.",
    buttons = { save, resume },
  },
  speechFailed = {
    title = "Speech recognition failed",
    message = "What is said from now on will not be written down.",
    buttons = { resume, discard },
  },
}

local function clock(seconds) return ("%d:%02d"):format(seconds // 60, seconds % 60) end

local function saveAndDismiss(state, _, deps)
  table.insert(state.syncUp.meetings, 1, {
    id = deps.uuid(), date = deps.date.now(), transcript = state.transcript,
  })
  return effect.concatenate(
    effect.send("delegate.syncUpUpdated", { syncUp = state.syncUp }), effect.dismiss())
end

-- A recognizer that fails does not end the meeting. `effect.result` lets a cancellation pass, as `pcall` would not.
local function writeDown(send, deps)
  local result = effect.result(function()
    for transcript in deps.speechClient.transcripts() do
      send("speechResult", { transcript = transcript })
    end
  end)
  if result.failure then send("speechFailure") end
end

return scripted.feature {
  name = "RecordMeeting",
  state = { secondsElapsed = 0, speakerIndex = 1, transcript = "" },        -- syncUp; alert
  dependencies = { "clock", "date", "speechClient", "uuid" },
  actions = { "delegate.syncUpUpdated" },                                   -- { syncUp }
  on = {
    task = function()
      return effect.run(function(send, deps)
        local status = deps.speechClient.authorizationStatus()
        if status == "notDetermined" then status = deps.speechClient.requestAuthorization() end

        effect.all {
          function() if status == "authorized" then writeDown(send, deps) end end,
          function() for _ in deps.clock.timer(1) do send("timerTick") end end,
        }
      end)
    end,

    timerTick = function(state, action, deps)
      if state.alert then return end                     -- time stands still while the user is asked

      state.secondsElapsed = state.secondsElapsed + 1
      if state.secondsElapsed >= state.syncUp.duration then return saveAndDismiss(state, action, deps) end

      -- What is left when the time does not divide evenly is the last one's.
      local turns = state.secondsElapsed // SyncUp.durationPerAttendee(state.syncUp)
      state.speakerIndex = math.min(turns + 1, #state.syncUp.attendees)
    end,

    nextButtonTapped = function(state)
      if state.speakerIndex == #state.syncUp.attendees then
        state.alert = alerts.noMoreSpeakers
      else
        state.secondsElapsed = state.speakerIndex * SyncUp.durationPerAttendee(state.syncUp)
        state.speakerIndex = state.speakerIndex + 1
      end
    end,

    endMeetingButtonTapped = function(state) state.alert = alerts.endMeeting end,
    ["alert.confirmSave"] = saveAndDismiss,
    ["alert.confirmDiscard"] = function() return effect.dismiss() end,

    -- { transcript = all that was said so far }
    speechResult = function(state, action) state.transcript = action.transcript end,

    speechFailure = function(state)
      if state.transcript ~= "" then state.transcript = state.transcript .. " ❌" end
      state.alert = alerts.speechFailed
    end,
  },
  view = function(state, env)
    local duration, elapsed, index = state.syncUp.duration, state.secondsElapsed, state.speakerIndex
    local attendees = state.syncUp.attendees
    local name = attendees[index].name
    local times = {
      ui.text { clock(elapsed) .. " elapsed", tone = "secondary" },
      ui.spacer(),
      ui.text { clock(duration - elapsed) .. " left", tone = "secondary" },
    }
    return ui.screen {
      title = state.syncUp.title, task = "task", alert = "alert",
      ui.progress { label = "Meeting", value = elapsed, max = duration },
      env.width == "compact" and ui.column(times) or ui.row(times),
      ui.heading((name ~= "" and name or "Attendee " .. index) .. " is speaking"),
      ui.text { ("Speaker %d of %d"):format(index, #attendees), announce = true },
      state.transcript ~= "" and ui.text { state.transcript, style = "caption" },
      ui.toolbar {
        ui.button { "Next speaker", action = "nextButtonTapped", shortcut = "mod+right" },
        ui.button { "End meeting", action = "endMeetingButtonTapped" },
      },
    }
  end,
}:ifLet("alert", scripted.ephemeral)
