import Testing

/// Calls, views and edits in runner dev.
struct ConsoleInspectionTests {
  let scripts: TemporaryFolder

  init() throws {
    scripts = try .screens()
    try scripts.write(askingScript, to: "asking.lua")
  }

  func run(_ feature: String, _ lines: String...) throws -> RunnerProcess.Outcome {
    try scripts.talk(to: feature, lines)
  }

  // MARK: Calls

  @Test func whatAnActionAndItsEffectsHaveCalledIsShownWithTheAnswers() throws {
    let outcome = try run("asking", "stamp", "plain", ":calls 1", ":calls")
    #expect(
      outcome.output.hasSuffix(
        """
        1 stamp
          handler  uuid → "00000000-0000-0000-0000-000000000000"
          effect   date.now → 978307200.0
        2 plain
          -- no dependency was called

        """), "\(outcome.output)")
    #expect(outcome.status == 0)
  }

  @Test func anActionThatIsNotThereIsToldOfAndTheBeginningHasNoCalls() throws {
    #expect(try run("asking", ":calls").output == "the beginning\n  -- no dependency was called\n")
    let outcome = try run("asking", "plain", ":calls 7", ":calls x")
    #expect(outcome.lines.contains("error: there is no action 7; there are 1 to 1"))
    #expect(outcome.lines.last == "error: x is no number")
  }

  // MARK: Views

  @Test func theViewsThatRanForTheLastChangeAreShown() throws {
    let outcome = try run("shopping", ":views", "items[1].toggle", ":views", "fail", ":views")
    #expect(outcome.output.hasPrefix("2 views ran\n  the root\n  items[1]\n"), "\(outcome.output)")
    #expect(outcome.output.contains("1 view ran for action 1\n  items[1]\n"))
    #expect(
      outcome.output.hasSuffix("1 view ran for action 1\n  items[1]\n  -- none for action 2\n"))
  }

  @Test func aFeatureWithoutAViewSaysSo() throws {
    let outcome = try run("counter", ":views")
    #expect(outcome.output.hasPrefix("error: counter.lua:4: Counter has no view"))
  }

  // MARK: Edits

  @Test func whatCannotBeSetNamesThePlaceAsItWasTypedAndAnEditIsUndone() throws {
    let outcome = try run(
      "shopping", ":set items[9].title 'x'", ":set items[1] 5", ":set items[1].title Tea",
      ":set items[1].title 'Tea'", ":undo", ":state items[1].title")
    let errors = outcome.lines.filter { $0.hasPrefix("error: ") }
    #expect(
      errors.first
        == "error: items[9].title: items has 1 element, so an element can be put at [2], not at [9]"
    )
    #expect(errors[1].hasPrefix("error: items[1]: forEach at "), "\(errors)")
    #expect(errors[1].hasSuffix(" runs on it, so it must be a table, not 5"))
    #expect(
      errors[2] == "error: items[1].title: Tea is no value; text goes in quotes")
    #expect(errors.count == 3)
    #expect(outcome.lines.last == #""Milk""#)
  }

  // MARK: Warnings

  /// The record of the action does not have the warning.
  @Test func aKeyThatCannotBeChosenIsWarnedOf() throws {
    try scripts.write(
      """
      local scripted = require "scripted"
      local count = scripted.shared.inMemory("count", 0)
      return scripted.feature {
        name = "Choosing", state = { isOpen = true },
        shared = { count = function(state)
          if not state.isOpen then error("no key today") end
          return count
        end },
        on = { close = function(state) state.isOpen = false end },
      }
      """, to: "choosing.lua")
    let output = try run("choosing", "close").output
    #expect(
      output.contains("warning[sharedStorage]: the key of a shared field cannot be chosen"),
      "\(output)")
    #expect(output.contains("no key today"))
  }

  @Test func helpHasTheCommands() throws {
    let outcome = try run("shopping", ":help", ":help calls", ":help views")
    #expect(outcome.output.contains("  :calls [N]"))
    #expect(outcome.output.contains("  :views  "))
    #expect(outcome.output.contains(":calls [N]\n  the dependencies that action N"))
  }
}

let askingScript = """
  local scripted = require "scripted"
  return scripted.feature {
    name = "Asking", state = { count = 0, stamp = "" }, dependencies = { "uuid", "date" },
    on = {
      stamp = function(state, _, deps)
        state.stamp = deps.uuid()
        return scripted.effect.run(function(_, deps) deps.date.now() end)
      end,
      plain = function(state) state.count = state.count + 1 end,
    },
  }
  """
