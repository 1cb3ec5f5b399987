local test = require "scripted.test"
local Episodes = require "case_studies.episodes"
local episodeClient = require "case_studies.episode_client"

describe("Favoriting", function()
  local clock

  before_each(function() clock = test.clock() end)

  local function storeOf(client)
    local episodes = {}
    for id = 1, 3 do episodes[id] = { id = id, title = "Functions", isFavorite = false } end
    return test.store(Episodes, {
      state = { episodes = episodes },
      dependencies = { episodeClient = client, clock = clock },
    })
  end

  -- Says yes to everything, after a second. `asked` gets what it was asked.
  local function client(asked)
    return {
      favorite = function(id, isFavorite)
        if asked then table.insert(asked, { id, isFavorite }) end
        clock.sleep(1)
        return isFavorite
      end,
    }
  end

  local function tap(store, id, isFavorite)
    store:send(("episodes[%d].favorite.buttonTapped"):format(id), function(state)
      state.episodes[id].isFavorite = isFavorite
    end)
  end

  it("shows the heart at once, and asks for it", function()
    local asked = {}
    local store = storeOf(client(asked))

    tap(store, 1, true)
    clock:advance(1)
    store:receive("episodes[1].favorite.response.result.success")
    assert.are.same({ { 1, true } }, asked)
  end)

  it("hears only of the last of two taps", function()
    local store = storeOf(client())

    tap(store, 2, true)
    clock:advance(0.5)
    tap(store, 2, false)
    clock:advance(1)
    store:receive("episodes[2].favorite.response", { result = { success = false } })
  end)

  it("leaves the others' requests alone", function()
    local store = storeOf(client())

    tap(store, 1, true)
    tap(store, 3, true)
    clock:advance(1)
    store:receive("episodes[1].favorite.response.result.success")
    store:receive("episodes[3].favorite.response.result.success")
  end)

  it("goes by the answer", function()
    local store = storeOf { favorite = function() return false end }

    tap(store, 1, true)
    store:receive("episodes[1].favorite.response.result.success", function(state)
      state.episodes[1].isFavorite = false
    end)
  end)

  it("takes the heart back after an alert when it fails", function()
    local store = storeOf { favorite = function() error("Favoriting failed.", 0) end }

    tap(store, 1, true)
    store:receive("episodes[1].favorite.response.result.failure", function(state)
      state.episodes[1].alert = { title = "Favoriting failed.", buttons = {} }
    end)
    store:send("episodes[1].favorite.alert.dismiss", function(state)
      state.episodes[1].alert = nil
      state.episodes[1].isFavorite = false
    end)
  end)

  it("fails where a test does not say what its client does", function()
    local store = test.store(Episodes)

    local _, failure = pcall(store.send, store, "episodes[1].favorite.buttonTapped")
    assert.matches("unimplemented: Favoriting called deps.episodeClient.favorite()", tostring(failure), 1, true)
  end)

  describe("its screen", function()
    it("is a toggle in each row", function()
      local view = test.view(Episodes, { dependencies = { episodeClient = client(), clock = clock } })
      assert.matches_snapshot(view:text())

      local row = view:find("row", "Parsers")
      row:find("toggle", "Favorite"):tap(function(state) state.episodes[4].isFavorite = true end)
      assert.are.same({ "episodes[4].favorite" }, view:evaluated())
      clock:advance(1)
      view.store:receive("episodes[4].favorite.response.result.success")
      assert.is_true(view:find("row", "Parsers"):find("toggle", "Favorite").selected)
    end)

    it("goes back with an alert if it fails", function()
      local view = test.view(Episodes, {
        dependencies = { episodeClient = { favorite = function() error("Favoriting failed.", 0) end } },
      })

      view:find("row", 1):find("toggle", "Favorite"):tap(function(state) state.episodes[1].isFavorite = true end)
      view.store:receive("episodes[1].favorite.response.result.failure", function(state)
        state.episodes[1].alert = { title = "Favoriting failed.", buttons = {} }
      end)
      view:find("alert", "Favoriting failed."):find("button", "OK"):tap(function(state)
        state.episodes[1].alert, state.episodes[1].isFavorite = nil, false
      end)
    end)
  end)
end)

-- The live client, with a dice of the test's own.
describe("The episode client", function()
  local function favorite(number, isFavorite)
    local deps = { clock = { sleep = spy() }, random = { number = function() return number end } }
    local answer = episodeClient.live(deps).favorite(1, isFavorite)
    assert.spy(deps.clock.sleep).was.called_with(1)
    return answer
  end

  it("says yes after a second", function()
    assert.is_true(favorite(0.25, true))
    assert.is_false(favorite(0.99, false))
  end)

  it("fails one time in four", function()
    assert.has_error(function() favorite(0.24, true) end, "Favoriting failed.")
  end)

  it("never fails in previews", function()
    assert.is_true(episodeClient.preview.favorite(1, true))
  end)
end)
