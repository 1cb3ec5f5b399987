#if HTTP
import Foundation
import ScriptedStore
import ScriptedStoreHTTP
import Testing

/// The repository's examples that ask a service, with a server in the place of the service.
struct ExampleTests {
  private struct Example {
    let store: Store
    let clock = VirtualClock()

    init(_ feature: String, _ server: Server, _ services: [String: Dependency]) throws {
      var dependencies = Dependencies()
      dependencies.register("http", live: try client(of: server))
      let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("scripts").path
      let host = try ScriptHost(
        root: folder,
        configuration: .init(
          dependencies: dependencies, clock: clock,
          onWarning: { Issue.record("\($0)") }, onError: { error, _ in Issue.record("\(error)") }))
      store = try host.store(feature, dependencies: services)
    }

    static func search(_ server: Server) throws -> Example {
      let url = Value(server.url)
      let service = Dependency.value(["geocoding": url, "forecast": url])
      return try Example("search", server, ["weatherService": service])
    }

    /// Types a query and lets the pause pass after which it is asked.
    func type(_ query: String) throws -> StoreTask {
      let task = try store.send("searchQueryChanged", .string(query))
      clock.advance(by: .seconds(0.3))
      return task
    }
  }

  private static let json = ["content-type": "application/json"]

  private static let lodz = """
    {"id":3093133,"name":"Łódź","latitude":51.77,"longitude":19.46,"elevation":214.0,
     "country":"Poland","admin1":"Łódź Voivodeship"}
    """

  /// Finds one place and knows its weather.
  private static let weather: Server.Answer = { request, connection in
    if request.line.hasPrefix("GET /v1/search?") {
      try connection.respond("200 OK", json, #"{"results":[\#(lodz)],"generationtime_ms":0.7}"#)
    } else {
      try connection.respond(
        "200 OK", json,
        """
        {"daily_units":{"time":"iso8601","temperature_2m_max":"°C","temperature_2m_min":"°C"},
         "daily":{"time":["2030-06-01","2030-06-02"],"temperature_2m_max":[24.5,21.0],
         "temperature_2m_min":[14.0,12.5]}}
        """)
    }
  }

  // MARK: Search

  @Test func aQueryFindsPlacesAndATapTheirWeather() async throws {
    try await Server.answering(Self.weather) { server in
      let example = try Example.search(server)
      try await example.type("Łódź").finish()
      #expect(server.heard.map(\.line) == ["GET /v1/search?name=%C5%81%C3%B3d%C5%BA HTTP/1.1"])
      #expect(
        example.store.state["results"] == [
          [
            "id": 3_093_133, "name": "Łódź", "country": "Poland", "admin1": "Łódź Voivodeship",
            "latitude": 51.77, "longitude": 19.46,
          ]
        ])

      try await example.store.send("searchResultTapped", ["id": 3_093_133]).finish()
      let line = try #require(server.heard.last?.line)
      #expect(line.hasPrefix("GET /v1/forecast?"))
      #expect(line.contains("latitude=51.77") && line.contains("longitude=19.46"))
      #expect(
        example.store.state["weather"] == [
          "id": 3_093_133,
          "days": [
            [
              "date": "2030-06-01", "temperatureMax": 24.5, "temperatureMaxUnit": "°C",
              "temperatureMin": 14.0, "temperatureMinUnit": "°C",
            ],
            [
              "date": "2030-06-02", "temperatureMax": 21.0, "temperatureMaxUnit": "°C",
              "temperatureMin": 12.5, "temperatureMinUnit": "°C",
            ],
          ],
        ])
      #expect(example.store.state["forecastRequestInFlight"] == .null)
    }
  }

  @Test func aNewQueryCancelsTheStaleRequest() async throws {
    let (asked, heard) = AsyncStream.makeStream(of: Void.self)
    let answer: Server.Answer = { request, connection in
      if request.line.contains("name=stale") {
        heard.yield()
        connection.waitForEnd()
      } else {
        try Self.weather(request, connection)
      }
    }
    try await Server.answering(answer) { server in
      let example = try Example.search(server)
      let stale = try example.type("stale")
      var requests = asked.makeAsyncIterator()
      await requests.next()
      let fresh = try example.store.send("searchQueryChanged", "fresh")
      await stale.finish()
      example.clock.advance(by: .seconds(0.3))
      await fresh.finish()
      while server.endedConnections == 0 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(server.heard.map(\.line).last == "GET /v1/search?name=fresh HTTP/1.1")
      #expect(example.store.state["results"].array?.count == 1)
    }
  }

  @Test func whereNothingIsFoundTheListIsEmpty() async throws {
    let answer: Server.Answer = { _, connection in
      try connection.respond("200 OK", Self.json, #"{"generationtime_ms":0.2}"#)
    }
    try await Server.answering(answer) { server in
      let example = try Example.search(server)
      try await example.type("nowhere").finish()
      #expect(
        example.store.state == ["searchQuery": "nowhere", "results": [], "nothingFound": true])
    }
  }

  @Test(arguments: [
    ("500 Internal Server Error", "{}"), ("200 OK", "not JSON"), ("200 OK", #"{"results":[7]}"#),
  ])
  func whatTheServiceGetsWrongEmptiesTheList(_ status: String, _ body: String) async throws {
    let answer: Server.Answer = { request, connection in
      if request.line.contains("name=good") {
        try Self.weather(request, connection)
      } else {
        try connection.respond(status, Self.json, body)
      }
    }
    try await Server.answering(answer) { server in
      let example = try Example.search(server)
      try await example.type("good").finish()
      #expect(example.store.state["results"].array?.count == 1)
      try await example.type("bad").finish()
      #expect(example.store.state == ["searchQuery": "bad", "results": []])
    }
  }

  @Test func aForecastOfAnotherShapeShowsNone() async throws {
    let answer: Server.Answer = { request, connection in
      if request.line.hasPrefix("GET /v1/search?") {
        try Self.weather(request, connection)
      } else {
        try connection.respond("200 OK", Self.json, #"{"daily":[]}"#)
      }
    }
    try await Server.answering(answer) { server in
      let example = try Example.search(server)
      try await example.type("Łódź").finish()
      try await example.store.send("searchResultTapped", ["id": 3_093_133]).finish()
      #expect(example.store.state["weather"] == .null)
      #expect(example.store.state["forecastRequestInFlight"] == .null)
    }
  }

  // MARK: Number facts

  @Test func aFactComesFromTheService() async throws {
    let answer: Server.Answer = { request, connection in
      try connection.respond("200 OK", [:], "42 is the answer.")
    }
    try await Server.answering(answer) { server in
      let example = try Example(
        "cancellation", server, ["numberFactService": .value(Value(server.url))])
      try example.store.send("stepperChanged", 42)
      await example.store.send("factButtonTapped").finish()
      #expect(server.heard.map(\.line) == ["GET /42/trivia HTTP/1.1"])
      #expect(example.store.state["currentFact"] == "42 is the answer.")
    }
  }

  @Test func aServiceWithoutAFactIsAFailure() async throws {
    let answer: Server.Answer = { _, connection in try connection.respond("404 Not Found") }
    try await Server.answering(answer) { server in
      let example = try Example(
        "refreshable", server, ["numberFactService": .value(Value(server.url))])
      await example.store.send("refresh").finish()
      #expect(example.store.state == ["count": 0])
    }
  }
}
#endif
