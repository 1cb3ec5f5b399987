import Testing

/// Ranges that end at the length of a list.
struct LengthRangeTests {
  private static func finding(_ line: Int, _ column: Int, _ remedy: String) -> String {
    "app.lua:\(line):\(column): warning: this range ends at the length of a list, so that its rows are known "
      + "by their index; place the elements by their ids: \(remedy) [length-range]"
  }

  @Test(arguments: [
    CheckCase(
      "of a list of the state",
      view: """
        local count = #state.user.names
        return ui.column {
          ui.forEach(#state.rows, function(i) return ui.text(i) end), ui.forEach(2, count, ui.text),
        }
        """, fields: "state = { rows = {}, user = { names = scripted.array {} } },",
      [
        finding(7, 14, "ui.forEach(state.rows, function(element) … end)"),
        finding(7, 77, "ui.forEach(state.user.names, function(element) … end)"),
      ]),
    CheckCase(
      "of texts and numbers, which are their own ids",
      view: """
        return ui.column {
          ui.forEach(#state.names, function(i) return ui.text(i) end),
          ui.forEach(#NAMES, function(i) return ui.text(NAMES[i]) end),
          ui.forEach(#state.rows, function(i) return ui.text(i) end),
        }
        """,
      fields: "state = { names = scripted.array { 1, 2 }, rows = { { id = 1 } } },",
      above: #"local NAMES = { "a", "b" }"#,
      [
        finding(6, 14, #"ui.forEach(state.names, { id = "self" }, function(element) … end)"#),
        finding(7, 14, #"ui.forEach(list, { id = "self" }, function(element) … end)"#),
        finding(8, 14, "ui.forEach(state.rows, function(element) … end)"),
      ]),
    CheckCase(
      "of an attached forEach",
      view: "return ui.list { ui.forEach(#state.rows, function(i) return ui.text(i) end) }",
      fields: "state = { rows = {} },", above: "local Row = scripted.feature { view = print }",
      below: #":forEach("rows", Row, { action = "row" })"#,
      [finding(5, 29, #"ui.forEach "row""#)]),
    CheckCase(
      "of a list that the rows read by their number",
      view: """
        local shown = filtered(state)
        return ui.list { ui.forEach(#shown, function(i) return ui.text(shown[i].title) end) }
        """, above: "local function filtered(state) return state.rows end",
      [finding(6, 29, "ui.forEach(list, function(element) … end)")]),
  ])
  func theyAreReportedWithTheWayToPlaceTheElements(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "numbers, lengths of texts, and lists",
      view: """
        return ui.column {
          ui.forEach(5, ui.text), ui.forEach(state.first, state.last, ui.text), ui.forEach(state.rows, ui.text),
          ui.forEach(#state.code, function(i) return ui.text(state.code:sub(i, i)) end),
          ui.forEach(#env.title, function(i) return ui.badge(i) end), ui.text(#state.rows),
          ui.forEach(4 - #state.code, function() return ui.text "_" end),
        }
        """, fields: "state = { first = 1, last = 2, code = '', rows = {} },", [])
  ])
  func otherRangesAreNoMistake(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }
}
