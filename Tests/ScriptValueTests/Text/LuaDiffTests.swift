import ScriptValue
import Testing

@Suite struct LuaDiffTests {
  private func diff(_ old: Value, _ new: Value) -> String? {
    LuaDiff().text(from: old, to: new)
  }

  private func rows(_ count: Int64) -> Value {
    .array(
      Value.List((0..<count).map { ["id": .integer($0 + 1), "title": "row", "isComplete": false] }))
  }

  @Test func equalValuesHaveNoDifference() {
    #expect(diff(1, 1.0) == nil)
    #expect(diff([], [:]) == nil)
    #expect(diff(["a": [1]], ["a": [1]]) == nil)
  }

  @Test func aScalarIsShownBeforeAndAfter() {
    #expect(diff(1, 1.5) == "- 1\n+ 1.5")
    #expect(diff("a\n", nil) == "- \"a\\n\"\n+ null")
  }

  @Test func membersThatDidNotChangeAreCounted() {
    #expect(
      diff(
        ["count": 1, "odd key": true, "a": 1, "b": 2], ["count": 2, "a": 1, "b": 2, "c": [1, 2]])
          == """
            {
          -   count = 1,
          +   count = 2,
          -   ["odd key"] = true,
          +   c = { 1, 2 },
              -- 2 unchanged
            }
          """)
  }

  @Test func aRowInAThousandIsShownWithItsPlaceAndId() {
    let old: Value = ["todos": rows(10_000), "filter": "all"]
    var new = old
    new["todos"][4_999]["isComplete"] = true
    #expect(
      diff(old, new) == """
          {
            todos = {
              -- 4,999 unchanged
              [5000] = {
                id = 5000,
        -       isComplete = false,
        +       isComplete = true,
                -- 1 unchanged
              },
              -- 5,000 unchanged
            },
            -- 1 unchanged
          }
        """)
  }

  @Test func rowsThatCameAndWentAreShownWhole() {
    guard case .array(var list) = rows(5) else { return }
    list.remove(at: 1)
    list.append(["id": 6, "title": "new"])
    #expect(
      diff(rows(5), .array(list)) == """
          {
            -- 1 unchanged
        -   [2] = { id = 2, title = "row", isComplete = false },
            -- 3 unchanged
        +   [5] = { id = 6, title = "new" },
          }
        """)
  }

  @Test func longValuesAreBrokenAndCut() throws {
    let long: Value = .object(["title": .string(String(repeating: "x", count: 90)), "n": 1])
    #expect(
      diff([:], ["a": long, "b": 2]) == """
        - {}
        + {
        +   a = {
        +     title = "\(String(repeating: "x", count: 90))",
        +     n = 1,
        +   },
        +   b = 2,
        + }
        """)
    let huge = try #require(diff(["rows": nil], ["rows": rows(10_000)]))
    #expect(huge.split(separator: "\n").count < 20)
    #expect(huge.contains("+     -- 9,989 more"))
    let text = try #require(diff("", .string(String(repeating: "é", count: 5_000))))
    #expect(text.hasSuffix("… (9,000 more bytes)"))
    #expect(text.utf8.count < 1_100)
  }

  @Test func aDifferenceOfManyChangesIsCut() throws {
    let old = rows(1_000)
    var new = old
    for index in stride(from: 0, to: 1_000, by: 2) { new[index]["isComplete"] = true }
    let text = try #require(diff(old, new))
    let lines = text.split(separator: "\n")
    #expect(lines.count < 50)
    #expect(lines.last == "  -- 494 more changes")
    let short = try #require(LuaDiff(lineLimit: 8).text(from: old, to: new))
    #expect(short.split(separator: "\n").count < 16)
    let all = try #require(LuaDiff(lineLimit: .max).text(from: old, to: new))
    #expect(!all.contains("more change"))
    #expect(all.split(separator: "\n").count { $0.hasPrefix("+ ") } == 500)
  }

  @Test func colorsAreThoseOfATerminal() {
    #expect(
      LuaDiff(isColored: true).text(from: ["a": 1], to: ["a": 2])
        == "  {\n\u{1B}[31m-   a = 1,\u{1B}[0m\n\u{1B}[32m+   a = 2,\u{1B}[0m\n  }")
  }
}
