import LuaBridge
import ScriptedStore
import Testing

/// The Search example of the repository, with a service that answers at once. ScriptedStoreHTTPTests has it
/// with a server.
struct SearchTests {
  private struct Unavailable: Error {}

  private static let brooklyn: Value = [
    "id": 1, "name": "Brooklyn", "country": "United States", "latitude": 40.7, "longitude": -73.9,
  ]
  private static let days: Value = [
    [
      "date": "2030-06-01", "temperatureMax": 24.5, "temperatureMaxUnit": "°C",
      "temperatureMin": 14.0, "temperatureMinUnit": "°C",
    ]
  ]

  private let queries = Recorder<String>()
  private let places = Recorder<Value>()

  private func session(
    results: Value? = [brooklyn], forecast: Value? = days
  ) throws -> Example {
    let (queries, places) = (queries, places)
    return try Example(
      "search",
      dependencies: [
        "weatherClient": .client([
          "search": .function("query") { (query: String) throws -> Value in
            queries.record(query)
            guard let results else { throw Unavailable() }
            return results
          },
          "forecast": .function("place") { (place: Value) throws -> Value in
            places.record(place)
            guard let forecast else { throw Unavailable() }
            return forecast
          },
        ])
      ])
  }

  @Test func aQueryIsAskedWhenTheTypingPauses() throws {
    let session = try session()
    for query in ["B", "Br", "Bro"] {
      try session.store.send("searchQueryChanged", .string(query))
      session.clock.advance(by: .seconds(0.2))
    }
    #expect(queries.all == [])
    session.clock.advance(by: .seconds(0.1))
    #expect(queries.all == ["Bro"])
    #expect(session.store.state == ["searchQuery": "Bro", "results": [Self.brooklyn]])
    #expect(session.isWell, "\(session.complaints)")
  }

  @Test func clearingTheQueryClearsTheResultsAndAsksNothing() throws {
    let session = try session()
    try session.store.send("searchQueryChanged", "Bro")
    session.clock.advance(by: .seconds(0.3))
    try session.store.send("searchResultTapped", ["id": 1])
    try session.store.send("searchQueryChanged", "Bron")
    try session.store.send("searchQueryChanged", "")
    #expect(session.store.effects.isEmpty)
    session.clock.advance(by: .seconds(1))
    #expect(session.store.state == ["searchQuery": "", "results": []])
    #expect(queries.all == ["Bro"])
  }

  @Test func aFailureEmptiesTheList() throws {
    let session = try session(results: nil)
    try session.store.send("searchQueryChanged", "Bro")
    session.clock.advance(by: .seconds(0.3))
    #expect(session.store.state == ["searchQuery": "Bro", "results": []])
    #expect(queries.all == ["Bro"])
    #expect(session.isWell, "\(session.complaints)")
  }

  @Test func aTappedResultShowsItsForecast() throws {
    let session = try session()
    try session.store.send("searchQueryChanged", "Bro")
    session.clock.advance(by: .seconds(0.3))
    try session.store.send("searchResultTapped", ["id": 1])
    #expect(places.all == [Self.brooklyn])
    #expect(session.store.state["weather"] == ["id": 1, "days": Self.days])
    #expect(session.store.state["forecastRequestInFlight"] == .null)
    #expect(session.isWell, "\(session.complaints)")
  }

  @Test func aForecastThatFailsShowsNone() throws {
    let session = try session(forecast: nil)
    try session.store.send("searchQueryChanged", "Bro")
    session.clock.advance(by: .seconds(0.3))
    try session.store.send("searchResultTapped", ["id": 1])
    #expect(session.store.state == ["searchQuery": "Bro", "results": [Self.brooklyn]])
    #expect(session.isWell, "\(session.complaints)")
  }

  @Test func aResultThatIsNotThereIsRefused() throws {
    let session = try session()
    try session.store.send("searchResultTapped", ["id": 9])
    #expect(session.errors.all.map(\.message) == ["no result has the id 9"])
    #expect(session.store.effects.isEmpty)
  }

  @Test func previewsNeedNoService() throws {
    let session = try Example("search", context: .preview)
    try session.store.send("searchQueryChanged", "x")
    session.clock.advance(by: .seconds(0.3))
    try session.store.send("searchResultTapped", ["id": 2])
    #expect(session.store.state["results"][1]["name"] == "Łódź")
    #expect(session.store.state["weather"]["days"].array?.count == 2)
    #expect(session.isWell, "\(session.complaints)")
  }

  @Test func theExampleSessionRunsWithoutAWord() throws {
    let session = try Example(
      "search",
      dependencies: [
        "weatherClient": .client([
          "search": Example.stub("places"), "forecast": Example.stub("forecast"),
        ])
      ])
    try session.play("search")
    #expect(session.isWell, "\(session.complaints)")
    #expect(session.sent == ["searchResponse", "forecastResponse", "searchResponse"])
    #expect(session.store.state == ["searchQuery": "", "results": []])
    #expect(session.store.effects.isEmpty)
  }
}
