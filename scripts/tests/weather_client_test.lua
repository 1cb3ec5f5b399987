local client = require "weather_client"

-- The live client, with a service that answers as the real one does. `getJSON` is a spy, which remembers
-- what it was asked.
describe("The weather client", function()
  local function clientOf(answer)
    local http = { getJSON = spy(function() return answer end) }
    return client.live {
      http = http,
      weatherService = { geocoding = "https://places", forecast = "https://weather" },
    }, http
  end

  describe("search", function()
    it("asks for places by name, and takes of each what the features show", function()
      local live, http = clientOf {
        results = {
          {
            id = 3093133, name = "Łódź", country = "Poland", admin1 = "Łódź Voivodeship",
            latitude = 51.77, longitude = 19.46, elevation = 214.0,
          },
          { id = 1, name = "Atlantis", latitude = 0.5, longitude = 0.5 },
        },
        generationtime_ms = 0.7,
      }

      assert.are.same({
        {
          id = 3093133, name = "Łódź", country = "Poland", admin1 = "Łódź Voivodeship",
          latitude = 51.77, longitude = 19.46,
        },
        { id = 1, name = "Atlantis", latitude = 0.5, longitude = 0.5 },
      }, live.search("Łódź"))
      assert.spy(http.getJSON).was.called(1)
      assert.spy(http.getJSON).was.called_with("https://places/v1/search", { query = { name = "Łódź" } })
    end)

    it("finds nothing where the service names nothing", function()
      local live = clientOf { generationtime_ms = 0.2 }

      assert.are.same({}, live.search("Nowhere"))
    end)
  end)

  describe("forecast", function()
    it("asks for the place, and makes a day of each date", function()
      local live, http = clientOf {
        daily_units = { time = "iso8601", temperature_2m_max = "°C", temperature_2m_min = "°C" },
        daily = {
          time = { "2030-06-01", "2030-06-02" },
          temperature_2m_max = { 24.5, 21.0 },
          temperature_2m_min = { 14.0, 12.5 },
        },
      }

      assert.are.same({
        {
          date = "2030-06-01",
          temperatureMax = 24.5, temperatureMaxUnit = "°C",
          temperatureMin = 14.0, temperatureMinUnit = "°C",
        },
        {
          date = "2030-06-02",
          temperatureMax = 21.0, temperatureMaxUnit = "°C",
          temperatureMin = 12.5, temperatureMinUnit = "°C",
        },
      }, live.forecast { id = 1, latitude = 51.77, longitude = 19.46 })
      assert.spy(http.getJSON).was.called_with("https://weather/v1/forecast", {
        query = {
          latitude = 51.77,
          longitude = 19.46,
          daily = "temperature_2m_max,temperature_2m_min",
          timezone = "auto",
        },
      })
    end)
  end)

  it("has places and days for previews, without a service", function()
    local places = client.preview.search("anything")
    assert.are.equal(2, #places)
    for _, place in ipairs(places) do
      assert.are.equal(2, #client.preview.forecast(place))
    end
  end)
end)
