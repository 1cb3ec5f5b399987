import Testing

/// The sessions of the examples.
struct ExampleTests {
  /// An example, the functions that stubs replace, and the state in which its session ends.
  struct Session: CustomTestStringConvertible {
    var name: String
    var stubs: [String: String] = [:]
    var state: String

    var testDescription: String { name }

    func play() throws -> RunnerProcess.Outcome {
      let dependencies = stubs.sorted { $0.key < $1.key }.flatMap { member, file in
        ["--dependency", "\(member)=@scripts/examples/stubs/\(file).lua"]
      }
      return try RunnerProcess.run(
        [
          "run", name, "--actions", "scripts/examples/\(name).jsonl", "--clock", "virtual",
          "--print-state",
        ] + dependencies)
    }
  }

  static let sessions = [
    Session(name: "counter", state: #"{"count":1}"#),
    Session(
      name: "todos",
      state: """
        {"filter":"all","isEditing":false,"nextId":9,"todos":[\
        {"description":"Bake bread","id":8,"isComplete":false},\
        {"description":"Buy milk","id":1,"isComplete":false}]}
        """),
    Session(name: "timers", state: #"{"isTimerActive":false,"secondsElapsed":4}"#),
    Session(
      name: "cancellation", stubs: ["numberFact.fetch": "number_fact"],
      state: #"{"count":-1,"isFactRequestInFlight":false}"#),
    Session(
      name: "refreshable", stubs: ["numberFact.fetch": "number_fact"],
      state: #"{"count":3,"fact":"3 is an odd number."}"#),
    Session(
      name: "long_living", stubs: ["screenshots.taken": "screenshots"],
      state: #"{"screenshotCount":3}"#),
    Session(
      name: "search",
      stubs: ["weatherClient.search": "places", "weatherClient.forecast": "forecast"],
      state: #"{"results":[],"searchQuery":""}"#),
    Session(
      name: "tic_tac_toe",
      state: """
        {"login":{"email":"","isFormValid":false,"isLoginRequestInFlight":false,"password":""}}
        """),
    Session(
      name: "voice_memos",
      stubs: ["audioPlayer": "audio_player", "audioRecorder": "audio_recorder"],
      state: """
        {"audioRecorderPermission":"allowed","voiceMemos":[\
        {"date":978307200.0,"duration":2.5,"title":"Idea",\
        "url":"/tmp/00000000-0000-0000-0000-000000000000.m4a"}]}
        """),
    Session(
      name: "sync_ups",
      stubs: ["speechClient": "speech_client"],
      state: """
        {"path":[],"syncUpsList":{"file":{"isLoading":false},"syncUps":[{"attendees":[\
        {"id":"1","name":"Blob"},{"id":"2","name":"Blob Jr."}],"duration":4,\
        "id":"00000000-0000-0000-0000-000000000000","meetings":[\
        {"date":978307204.0,"id":"00000000-0000-0000-0000-000000000002",\
        "transcript":"We are done"}],"theme":"bubblegum","title":"Drawing"}]}}
        """),
    Session(
      name: "case_studies.animations", state: #"{"circleColor":"black","isCircleScaled":false}"#),
  ]

  @Test(arguments: sessions)
  func playsToTheEndWithoutAWarning(_ session: Session) throws {
    let outcome = try session.play()
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(
      outcome.lines.dropLast().allSatisfy { $0.contains(#""warnings":[]"#) }, "\(outcome.output)")
    #expect(outcome.lines.last == #"{"state":\#(session.state)}"#)
  }

  @Test(arguments: sessions)
  func printsTheSameBytesEveryTime(_ session: Session) throws {
    #expect(try session.play().output == session.play().output)
  }

  @Test func theSearchShowsTheForecastOfTheResultThatWasTappedLast() throws {
    let session = try #require(Self.sessions.first { $0.name == "search" })
    let forecasts = try session.play().lines.filter { $0.contains("forecastResponse") }
    #expect(forecasts.count == 1)
    #expect(forecasts.first?.contains(#""id":2"#) == true)
  }
}
