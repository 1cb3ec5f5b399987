-- A button that downloads what is at a URL, shows how far it is, and offers to stop it or to delete what was
-- downloaded. Who embeds it keeps the contents: `downloadClient.result.success.contents` is the action that
-- has them, and `alert.deleteButtonTapped` the one after which they are not wanted any more.
local scripted = require "scripted"
local ui = require "scripted.ui"
require "case_studies.offline_downloads.download_client"

local effect = scripted.effect

local nevermind = { label = "Never mind", role = "cancel", action = "dismiss" }

local deleteAlert = {
  title = "Do you want to delete this map from your offline storage?",
  buttons = {
    { label = "Delete", role = "destructive", action = "deleteButtonTapped", animation = "default" },
    nevermind,
  },
}

local stopAlert = {
  title = "Do you want to stop downloading this map?",
  buttons = {
    { label = "Stop", role = "destructive", action = "stopButtonTapped", animation = "default" },
    nevermind,
  },
}

local function download(url)
  return effect.run(function(send, deps)
    for event in deps.downloadClient.download(url) do
      send("downloadClient", { result = { success = event } })
    end
  end, {
    catch = function(reason, send) send("downloadClient", { result = { failure = reason } }) end,
  }):cancellable("download"):animation("default")
end

local buttons = {
  notDownloaded = "Download", startingToDownload = "Stop", downloading = "Stop", downloaded = "Delete download",
}

return scripted.feature {
  name = "DownloadComponent",
  state = {
    url = "",
    mode = "notDownloaded",                                    -- startingToDownload, downloading, downloaded
    -- progress: number?, from 0 to 1 while downloading; alert: table?
  },
  dependencies = { "downloadClient" },
  on = {
    buttonTapped = function(state)
      if state.mode == "notDownloaded" then
        state.mode = "startingToDownload"
        return download(state.url)
      end
      state.alert = state.mode == "downloaded" and deleteAlert or stopAlert
    end,

    ["downloadClient.result.success.progress"] = function(state, action)
      state.mode = "downloading"
      state.progress = action.result.success.progress
    end,

    -- A question whether to stop is over with the download.
    ["downloadClient.result.success.contents"] = function(state)
      state.mode, state.progress, state.alert = "downloaded", nil, nil
    end,

    ["downloadClient.result.failure"] = function(state)
      state.mode, state.progress, state.alert = "notDownloaded", nil, nil
    end,

    ["alert.stopButtonTapped"] = function(state)
      state.mode, state.progress = "notDownloaded", nil
      return effect.cancel("download")
    end,

    ["alert.deleteButtonTapped"] = function(state) state.mode = "notDownloaded" end,
  },
  view = function(state)
    local mode = state.mode
    return ui.row {
      alert = "alert",
      mode == "startingToDownload" and ui.progress { label = "Starting", style = "spinner" },
      mode == "downloading" and ui.progress { label = "Downloading", value = state.progress },
      ui.button { buttons[mode], action = "buttonTapped" },
    }
  end,
}:ifLet("alert", scripted.ephemeral)
