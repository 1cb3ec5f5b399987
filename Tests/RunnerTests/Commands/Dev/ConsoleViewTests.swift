import Testing

/// The screen in runner dev.
struct ConsoleViewTests {
  let scripts: TemporaryFolder

  init() throws { scripts = try .screens() }

  func run(_ feature: String, _ lines: String...) throws -> RunnerProcess.Outcome {
    try scripts.talk(to: feature, lines)
  }

  private func count(_ text: String, in outcome: RunnerProcess.Outcome) -> Int {
    outcome.output.components(separatedBy: text).count - 1
  }

  @Test func itIsShownAsTextWhenOneAsksForIt() throws {
    let outcome = try run("shopping", ":view", "items[1].toggle", ":v")
    #expect(
      outcome.output.hasPrefix("Shopping\n════════\n\nregular text\n\nopen [ Milk ]\n1 items"))
    #expect(outcome.output.hasSuffix("bought [ Milk ]\n"))
    #expect(count("Shopping\n", in: outcome) == 2)
    #expect(outcome.status == 0)
  }

  @Test func afterViewOnItIsShownAtOnceAndWheneverItHasChanged() throws {
    let outcome = try run(
      "shopping", ":view on", "items[1].toggle", ":state items", "fail", ":go 0", ":set items {}",
      ":view off", "add { title = 'Tea' }")
    #expect(count("Shopping\n", in: outcome) == 4)
    #expect(count("open [ Milk ]", in: outcome) == 2)
    #expect(count("bought [ Milk ]", in: outcome) == 1)
    #expect(!outcome.output.contains("[ Tea ]"))
  }

  @Test func whatAppearsSendsItsActionsWithTheFirstLookAndWaitsChangeTheScreen() throws {
    let outcome = try run("page", ":state seen", ":view on", ":wait 5", ":state seen")
    #expect(outcome.lines.first == "0")
    #expect(outcome.output.contains("1 appeared\n"))
    #expect(outcome.output.contains("\nloading, seen 1\n"))
    #expect(outcome.output.contains("\nloaded, seen 1\n"))
    #expect(outcome.lines.last == "1")
  }

  @Test func nobodyLooksAnyMoreAfterViewOffWhatATaskHadStartedIsCancelled() throws {
    let outcome = try run("page", ":view", ":view off", ":effects", ":view", ":effects")
    #expect(outcome.output.contains("no effect is in flight\n"))
    #expect(outcome.lines.last?.hasPrefix("1 Page (page.lua:") == true)
    #expect(count("loading, seen 1\n", in: outcome) == 1)
    #expect(count("loading, seen 2\n", in: outcome) == 1)
  }

  @Test func aViewThatRaisesIsToldOfOnceWithItsLineAndCountsAsAFailure() throws {
    let outcome = try run("shopping", ":view on", "add { title = '' }", "items[1].toggle")
    #expect(count("error: shopping.lua:9: an item needs a title\n", in: outcome) == 1)
    #expect(count("! an item needs a title", in: outcome) == 2)
    #expect(outcome.output.contains("bought [ Milk ]"))
    #expect(outcome.status == 1)
  }

  @Test func aWarningOfAViewComesWithTheScreenAndIsListed() throws {
    let add = "add { title = 'Tea' }"
    let outcome = try run("shopping", ":view", add, add, add, ":warnings")
    #expect(count("the view of Shopping sends \"svae\"", in: outcome) == 2)
    #expect(outcome.status == 0)
  }

  @Test(arguments: [
    ("counter", ":view", "error: counter.lua:4: Counter has no view, so there is nothing"),
    ("shopping", ":view all", "error: say :view, :view on or :view off"),
    ("shopping", ":view off", "error: the screen is not shown; :view shows it"),
  ])
  func whatCannotBeShownIsToldOfWithItsRemedy(feature: String, line: String, message: String) throws
  {
    let outcome = try run(feature, line)
    #expect(outcome.output.hasPrefix(message), "\(outcome.output)")
    #expect(outcome.status == 1)
  }

  @Test func helpHasIt() throws {
    #expect(try run("shopping", ":help").output.contains("  :view [on|off]"))
    #expect(try run("shopping", ":help view").lines.first == ":view [on|off]")
  }

  @Test func aChangedScriptChangesTheScreen() throws {
    let console = try Conversation(
      ["dev", "page", "--root", scripts.path, "--clock", "virtual"], in: scripts.folder)
    console.say(":view on")
    #expect(hears("loading, seen 1", from: console))
    let text = try scripts.text("page.lua")
    try scripts.write(text.replacing("\", seen \"", with: "\", looked at \""), to: "page.lua")
    console.say(":reload")
    #expect(hears("loading, looked at 1", from: console))
    console.endInput()
    #expect(console.end().status == 0)
  }

  /// Reads lines up to one that is the text.
  private func hears(_ text: String, from console: Conversation) -> Bool {
    (1...50).contains { _ in console.hear() == text }
  }
}
