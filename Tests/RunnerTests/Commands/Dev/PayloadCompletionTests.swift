import Testing

/// How runner dev completes the keys of a payload.
struct PayloadCompletionTests {
  let scripts: TemporaryFolder

  init() throws {
    scripts = try TemporaryFolder(["orders.lua": ordersScript, "row.lua": rowScript])
  }

  /// Types keys into a console and Enter behind them, and expects a line with the action.
  private func type(_ keys: String..., reads line: String) throws {
    let console = try ConsoleOnTerminal(
      ["dev", "orders", "--root", scripts.path],
      environment: ["XDG_STATE_HOME": scripts.path, "NO_COLOR": "1"])
    for keys in keys { console.type(keys + "\r") }
    console.read(until: line)
    console.quit()
  }

  @Test(arguments: [
    ("rename { de\t'a' }", #"1 rename { description = "a" }"#),
    ("rename {de\t'a'}", #"1 rename { description = "a" }"#),
    ("rename {\"de\t\"a\"}", #"1 rename { description = "a" }"#),
    ("rename { description = 'a,', sta\t3 }", #"1 rename { description = "a,", starred = 3 }"#),
    (
      "rename {\"starred\": [1, 2], \t\"a\"}",
      #"1 rename { starred = { 1, 2 }, description = "a" }"#
    ),
    ("rows[2].label { te\t'a' }", #"1 rows[2].label { text = "a" }"#),
    // The parent's handler reads it behind `action.action`.
    ("rows[2].label { col\t'red' }", #"1 rows[2].label { color = "red" }"#),
    ("user.named { na\t'a' }", #"1 user.named { name = "a" }"#),
    ("shared { si\t3 }", #"1 shared { size = 3 }"#),
  ])
  func theyAreThoseThatTheActionsHandlersRead(keys: String, line: String) throws {
    try type(keys, reads: line)
  }

  @Test(arguments: [
    ("rename { description = de\t1 }", "1 is no value"),
    ("rename { inner = { de\t = 1 } }", "1 rename { inner = { de = 1 } }"),
    ("rename { x = 'de\t' }", #"1 rename { x = "de" }"#),
    ("rename { zzz\t = 1 }", "1 rename { zzz = 1 }"),
    ("unheard { de\t = 1 }", "1 unheard { de = 1 }"),
  ])
  func elsewhereTabAddsNothing(keys: String, line: String) throws {
    try type(keys, reads: line)
  }

  @Test func theyAreAlsoThoseThatActionsHadBeforeOnWhicheverElement() throws {
    try type(
      "rows[2].label { weight = 1 }", "rows[1].label { we\t2 }",
      reads: "2 rows[1].label { weight = 2 }")
  }

  @Test func thoseOfABindingAreTheFieldsOfTheElementHoweverItsIDIsWritten() throws {
    try type("rows[02].binding.co\t 'red'", reads: "1 rows[2].binding.color")
  }

  @Test func aScriptThatIsLoadedAgainIsReadAgain() throws {
    let console = try ConsoleOnTerminal(
      ["dev", "orders", "--root", scripts.path],
      environment: ["XDG_STATE_HOME": scripts.path, "NO_COLOR": "1"])
    console.type("rename { de\t'a' }\r")
    console.read(until: #"1 rename { description = "a" }"#)
    try scripts.write(
      ordersScript.replacing("action.starred", with: "action.favorite"), to: "orders.lua")
    console.read(until: " ms\r\n")
    console.type("rename { fa\ttrue }\r")
    console.read(until: "2 rename { favorite = true }")
    console.quit()
  }
}

private let ordersScript = """
  local scripted = require "scripted"
  local Row = require "row"

  local function shared(state, given) state.size = given.size end

  local Orders = scripted.feature {
    name = "Orders",
    state = { description = "", rows = { { id = 1 }, { id = 2, color = "" } } },
    on = {
      rename = function(state, action)
        state.description = action.description
        if action.starred then state.starred = action.type end
      end,
      shared = shared,
      ["rows[*].label"] = function(state, action) state.color = action.action.color end,
      ["user.named"] = function(state, action) state.name = action.action.name end,
    },
  }
  return Orders:forEach("rows", Row)
  """

private let rowScript = """
  return require("scripted").feature {
    name = "Row", state = { id = 0, color = "" }, binding = true,
    on = { label = function(state, action) state.text = action.text:upper() end },
  }
  """
