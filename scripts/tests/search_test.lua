local test = require "scripted.test"
local Search = require "search"

local brooklyn = { id = 1, name = "Brooklyn", country = "United States", latitude = 40.7, longitude = -73.9 }
local brno = { id = 2, name = "Brno", country = "Czechia", latitude = 49.2, longitude = 16.6 }

local days = {
  {
    date = "2030-06-01",
    temperatureMax = 24.5, temperatureMaxUnit = "°C",
    temperatureMin = 14.0, temperatureMinUnit = "°C",
  },
}

local function offline() error("no network", 0) end

describe("Search", function()
  local clock

  before_each(function() clock = test.clock() end)

  -- What is not given raises when it is called, so a test also says which requests there are.
  local function storeOf(weatherClient, state)
    return test.store(Search, {
      state = state,
      dependencies = { clock = clock, weatherClient = weatherClient },
    })
  end

  local function type_(store, query)
    store:send("searchQueryChanged", { value = query }, function(state) state.searchQuery = query end)
  end

  describe("the query", function()
    it("finds places, and is cleared with them", function()
      local store = storeOf { search = function() return { brooklyn } end }

      type_(store, "B")
      clock:advance(0.3)
      store:receive("searchResponse.result.success", function(state) state.results = { brooklyn } end)
      store:send("searchQueryChanged", { value = "" }, function(state)
        state.searchQuery = ""
        state.results = {}
      end)
    end)

    it("is asked when the typing pauses", function()
      local search = spy(function() return { brno } end)
      local store = storeOf { search = function(query) return search(query) end }

      for _, query in ipairs { "B", "Br", "Brn" } do
        type_(store, query)
        clock:advance(0.2)
      end
      assert.spy(search).was_not.called()

      clock:advance(0.1)
      store:receive("searchResponse", { result = { success = { brno } } }, function(state)
        state.results = { brno }
      end)
      assert.spy(search).was.called(1)
      assert.spy(search).was.called_with("Brn")
    end)

    it("finds nothing when the request fails", function()
      local store = storeOf({ search = offline }, { results = { brooklyn } })

      type_(store, "B")
      clock:advance(0.3)
      store:receive("searchResponse", { result = { failure = { message = "no network" } } }, function(state)
        state.results = {}
      end)
    end)

    -- The request has begun and its answer never comes.
    it("cancels its request when it is cleared", function()
      local store = storeOf { search = test.never }

      type_(store, "B")
      clock:advance(0.3)
      type_(store, "")
    end)

    it("is not asked at all when it is cleared at once", function()
      local store = storeOf {}

      type_(store, "B")
      type_(store, "")
      clock:advance(1)
    end)

    -- Each request takes a second: the second one starts before the first is answered.
    it("cancels the request that is out of date", function()
      local store = storeOf {
        search = function(query)
          clock.sleep(1)
          return query == "Brn" and { brno } or { brooklyn, brno }
        end,
      }

      type_(store, "Br")
      clock:advance(0.5)
      type_(store, "Brn")
      clock:advance(1) -- the first answer would come in this time
      clock:advance(0.3)
      store:receive("searchResponse", { result = { success = { brno } } }, function(state)
        state.results = { brno }
      end)
    end)
  end)

  describe("a result that is tapped", function()
    local function tap(store, place)
      store:send("searchResultTapped", { id = place.id }, function(state)
        state.forecastRequestInFlight = place.id
      end)
    end

    it("shows its forecast", function()
      local forecast = spy(function() return days end)
      local store = storeOf(
        { forecast = function(place) return forecast(place) end }, { results = { brooklyn, brno } })

      tap(store, brno)
      store:receive("forecastResponse", { id = 2, result = { success = days } }, function(state)
        state.forecastRequestInFlight = nil
        state.weather = { id = 2, days = days }
      end)
      assert.spy(forecast).was.called_with(brno)
    end)

    it("takes the place of one that was tapped before", function()
      local store = storeOf({
        forecast = function(place)
          clock.sleep(place.id) -- Brno's takes longer
          return days
        end,
      }, { results = { brooklyn, brno } })

      tap(store, brno)
      tap(store, brooklyn)
      clock:advance(2)
      store:receive("forecastResponse", function(state)
        state.forecastRequestInFlight = nil
        state.weather = { id = 1, days = days }
      end)
    end)

    it("shows nothing when the request fails", function()
      local store = storeOf({ forecast = offline }, { results = { brooklyn }, weather = { id = 1, days = days } })

      tap(store, brooklyn)
      store:receive("forecastResponse", { id = 1, result = { failure = { message = "no network" } } }, function(state)
        state.forecastRequestInFlight = nil
        state.weather = nil
      end)
    end)

    it("is forgotten when the query is cleared", function()
      local store = storeOf({ forecast = test.never }, {
        searchQuery = "B", results = { brooklyn, brno }, weather = { id = 2, days = days },
      })

      tap(store, brooklyn)
      store:send("searchQueryChanged", { value = "" }, function(state)
        state.searchQuery = ""
        state.results = {}
        state.weather, state.forecastRequestInFlight = nil, nil
      end)
    end)

    it("has to be there", function()
      local store = storeOf({}, { results = { brooklyn } })

      assert.error_matches(
        function() store:send("searchResultTapped", { id = 9 }) end, "no result has the id 9")
    end)
  end)

  describe("its screen", function()
    local function viewOf(weatherClient, state)
      return test.view(Search, { state = state, dependencies = { clock = clock, weatherClient = weatherClient } })
    end

    it("finds places while one types", function()
      local view = viewOf { search = function() return { brooklyn, brno } end }
      assert.matches_snapshot(view:text())

      view:find("textField", "Place"):type("Br", function(state) state.searchQuery = "Br" end)
      assert.are.same({}, view:all("row"))
      clock:advance(0.3)
      view.store:receive("searchResponse.result.success", function(state) state.results = { brooklyn, brno } end)
      assert.are.equal("Brno, Czechia", view:find("row", 2).name)
    end)

    -- Not before there is an answer, nor of a query that goes on.
    it("says that nothing was found", function()
      local view = viewOf { search = function() return {} end }

      view:find("textField", "Place"):type("Brx", function(state) state.searchQuery = "Brx" end)
      assert.is_nil(view:query("text", "No places found."))
      clock:advance(0.3)
      view.store:receive("searchResponse.result.success", function(state) state.nothingFound = true end)
      assert.is_not_nil(view:query("text", "No places found."))
      view:find("textField", "Place"):set("", function(state) state.searchQuery, state.nothingFound = "", nil end)
      assert.is_nil(view:query("text", "No places found."))
    end)

    it("shows the weather of the place that is tapped", function()
      local view = viewOf({ forecast = function() clock.sleep(1) return days end }, {
        searchQuery = "Br", results = { brooklyn, brno },
      })

      view:find("button", "Brno, Czechia"):tap(function(state) state.forecastRequestInFlight = 2 end)
      assert.is_not_nil(view:find("row", 2):query("progress", "Loading"))
      assert.is_nil(view:find("row", 1):query("progress", "Loading"))

      clock:advance(1)
      view.store:receive("forecastResponse.result.success", function(state)
        state.weather, state.forecastRequestInFlight = { id = 2, days = days }, nil
      end)
      assert.matches_snapshot(view:text())
    end)
  end)
end)
