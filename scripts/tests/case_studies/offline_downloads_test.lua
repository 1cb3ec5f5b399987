local test = require "scripted.test"
local list = require("scripted").list
local CityMaps = require "case_studies.offline_downloads"
local DownloadComponent = require "case_studies.offline_downloads.download_component"
local downloadClient = require "case_studies.offline_downloads.download_client"

local nevermind = { label = "Never mind", role = "cancel", action = "dismiss" }

local stopAlert = {
  title = "Do you want to stop downloading this map?",
  buttons = {
    { label = "Stop", role = "destructive", action = "stopButtonTapped", animation = "default" },
    nevermind,
  },
}

local deleteAlert = {
  title = "Do you want to delete this map from your offline storage?",
  buttons = {
    { label = "Delete", role = "destructive", action = "deleteButtonTapped", animation = "default" },
    nevermind,
  },
}

describe("A download", function()
  local events

  before_each(function() events = test.stream() end)

  local function storeIn(mode)
    return test.store(DownloadComponent, {
      state = { url = "https://maps/paris", mode = mode },
      dependencies = { downloadClient = { download = function() return events end } },
    })
  end

  local function start(store)
    store:send("buttonTapped", function(state) state.mode = "startingToDownload" end)
  end

  local function progress(store, part)
    events:send { progress = part }
    store:receive("downloadClient.result.success.progress", function(state)
      state.mode = "downloading"
      state.progress = part
    end)
  end

  it("says how far it is, and when it is there", function()
    local store = storeIn "notDownloaded"

    start(store)
    progress(store, 0.2)
    progress(store, 0.8)
    events:send { contents = "UGFyaXM=" }
    events:finish()
    store:receive("downloadClient.result.success.contents", function(state)
      state.mode = "downloaded"
      state.progress = nil
    end)
  end)

  it("is stopped once the user has said so", function()
    local store = storeIn "notDownloaded"

    start(store)
    progress(store, 0.2)
    store:send("buttonTapped", function(state) state.alert = stopAlert end)
    store:send("alert.stopButtonTapped", function(state)
      state.alert = nil
      state.mode = "notDownloaded"
      state.progress = nil
    end)
  end)

  it("goes on when the user thinks better of it", function()
    local store = storeIn "notDownloaded"

    start(store)
    store:send("buttonTapped", function(state) state.alert = stopAlert end)
    store:send("alert.dismiss", function(state) state.alert = nil end)
    progress(store, 0.5)
    store:skipInFlightEffects()
  end)

  it("may end while the user is asked whether to stop it", function()
    local store = storeIn "notDownloaded"

    start(store)
    store:send("buttonTapped", function(state) state.alert = stopAlert end)
    events:send { contents = "UGFyaXM=" }
    events:finish()
    store:receive("downloadClient.result.success.contents", function(state)
      state.alert = nil
      state.mode = "downloaded"
    end)
  end)

  it("can be started again after a failure", function()
    local store = storeIn "notDownloaded"

    start(store)
    progress(store, 0.2)
    events:fail "no network"
    store:receive("downloadClient.result.failure", function(state)
      state.mode = "notDownloaded"
      state.progress = nil
    end)
    events = test.stream()
    start(store)
    progress(store, 0.1)
    store:skipInFlightEffects()
  end)

  it("is deleted once the user has said so", function()
    local store = storeIn "downloaded"

    store:send("buttonTapped", function(state) state.alert = deleteAlert end)
    store:send("alert.deleteButtonTapped", function(state)
      state.alert = nil
      state.mode = "notDownloaded"
    end)
  end)
end)

describe("City maps", function()
  -- What a host shows first.
  it("are five, none of which is there yet", function()
    local store = test.store(CityMaps, {
      dependencies = { downloadClient = { download = function() return test.never end } },
    })

    assert.are.same(
      { "New York", "Los Angeles", "Paris", "Tokyo", "Buenos Aires" },
      list.map(store.state.cityMaps, function(cityMap) return cityMap.title end))
    for index, id in ipairs(list.ids(store.state.cityMaps)) do
      store:send(("cityMaps[%d].downloadComponent.buttonTapped"):format(id), function(state)
        state.cityMaps[index].downloadComponent.mode = "startingToDownload"
      end)
    end
    store:skipInFlightEffects()
  end)

  it("are downloaded side by side, each with a progress of its own", function()
    local paris, tokyo = test.stream(), test.stream()
    local streams = { ["https://maps/paris"] = paris, ["https://maps/tokyo"] = tokyo }

    local function cityMap(id, url)
      return {
        id = id, title = "A city", blurb = "",
        downloadComponent = { url = url, mode = "notDownloaded" },
      }
    end
    local store = test.store(CityMaps, {
      state = { cityMaps = { cityMap(3, "https://maps/paris"), cityMap(4, "https://maps/tokyo") } },
      dependencies = { downloadClient = { download = function(url) return streams[url] end } },
    })

    store:send("cityMaps[3].downloadComponent.buttonTapped", function(state)
      state.cityMaps[1].downloadComponent.mode = "startingToDownload"
    end)
    store:send("cityMaps[4].downloadComponent.buttonTapped", function(state)
      state.cityMaps[2].downloadComponent.mode = "startingToDownload"
    end)
    tokyo:send { progress = 0.5 }
    store:receive("cityMaps[4].downloadComponent.downloadClient", function(state)
      state.cityMaps[2].downloadComponent.mode = "downloading"
      state.cityMaps[2].downloadComponent.progress = 0.5
    end)
    paris:send { contents = "UGFyaXM=" }
    paris:finish()
    store:receive("cityMaps[3].downloadComponent.downloadClient", function(state)
      state.cityMaps[1].downloadComponent.mode = "downloaded"
    end)
    store:skipInFlightEffects()
  end)

  describe("its screen", function()
    it("downloads one of the maps", function()
      local events = test.stream()
      local view = test.view(CityMaps, {
        dependencies = { downloadClient = { download = function() return events end } },
      })
      assert.matches_snapshot(view:text())

      local function component(state) return state.cityMaps[3].downloadComponent end
      view:find("section", "Paris"):find("button", "Download"):tap(function(state)
        component(state).mode = "startingToDownload"
      end)
      assert.is_not_nil(view:find("section", "Paris"):query("progress", "Starting"))

      events:send { progress = 0.4 }
      view.store:receive("cityMaps[3].downloadComponent.downloadClient", function(state)
        component(state).mode, component(state).progress = "downloading", 0.4
      end)
      assert.are.equal(0.4, view:find("section", "Paris"):find("progress", "Downloading").value)
      assert.are.same({ "cityMaps[3].downloadComponent" }, view:evaluated())

      view:find("button", "Stop"):tap(function(state) component(state).alert = stopAlert end)
      view:find("alert"):find("button", "Never mind"):tap(function(state) component(state).alert = nil end)

      events:send { contents = "" }
      events:finish()
      view.store:receive("cityMaps[3].downloadComponent.downloadClient", function(state)
        component(state).mode, component(state).progress = "downloaded", nil
      end)
      view:find("button", "Delete download"):tap(function(state) component(state).alert = deleteAlert end)
      view:find("alert"):find("button", "Delete"):tap(function(state)
        component(state).mode, component(state).alert = "notDownloaded", nil
      end)
    end)
  end)
end)

-- The live client, with a server of the test's own.
describe("The download client", function()
  local function eventsOf(responses)
    local asked = {}
    local http = {
      get = function(_, options)
        assert.are.equal("base64", options.as)
        asked[#asked + 1] = options.headers.range
        return table.remove(responses, 1)
      end,
    }
    local events = {}
    for event in downloadClient.live({ http = http }).download("https://maps/paris") do
      events[#events + 1] = event
    end
    return events, asked
  end

  local function piece(body)
    return { status = 206, headers = { ["content-range"] = "bytes 0-786431/2000000" }, body = body }
  end

  it("asks for one piece after the other", function()
    local events, asked = eventsOf { piece "AAAA", piece "BBBB", piece "CCCC" }

    assert.are.same(
      { { progress = 786432 / 2000000 }, { progress = 1572864 / 2000000 }, { contents = "AAAABBBBCCCC" } },
      events)
    assert.are.same(
      { "bytes=0-786431", "bytes=786432-1572863", "bytes=1572864-2359295" }, asked)
  end)

  it("takes the whole at once from a server that knows no ranges", function()
    assert.are.same(
      { { contents = "UGFyaXM=" } }, (eventsOf { { status = 200, headers = {}, body = "UGFyaXM=" } }))
  end)

  it("fails with the status of the answer", function()
    assert.has_error(
      function() eventsOf { { status = 404, headers = {} } } end, "the server answered with 404")
  end)

  it("refuses a piece of a file whose size nobody says", function()
    assert.has_error(
      function() eventsOf { { status = 206, headers = {}, body = "AAAA" } } end,
      "the server does not say how large the file is")
  end)

  it("makes ten pieces for previews, one each second", function()
    local sleep = spy()
    local events = {}
    for event in downloadClient.preview({ clock = { sleep = sleep } }).download() do
      events[#events + 1] = event
    end

    assert.are.equal(10, #events)
    assert.are.same({ progress = 0.9 }, events[9])
    assert.are.same({ contents = "" }, events[10])
    assert.spy(sleep).was.called(10)
  end)
end)
