import Foundation
import LuaBridge
import ScriptedStore
import Testing

@Suite struct DependencyFunctionTests {
  struct Todo: Codable, Sendable {
    var title: String
    var tags: [String]
  }

  // Made anew each time: what a static holds behind a closure looks like a leak to the sanitizer.
  static var api: Dependency {
    Dependency.client([
      "search": .function("query", "limit") { (query: String, limit: Int?) in
        "\(query) \(limit.map { "\($0)" } ?? "all")"
      },
      "save": .function("todo") { (todo: Todo) in
        "\(todo.title): \(todo.tags.joined(separator: "+"))"
      },
      "first": .function { (value: Value) in value[0] },
      "find": .function("id") { (id: Int) -> Todo? in
        id == 1 ? Todo(title: "Milk", tags: ["shop"]) : nil
      },
      "share": .function("number") { (number: Double) in number / 2 },
      "small": .function { (number: Int8) in number },
      "touch": .function { (_: Bool) in },
      "null": .function { Value.null },
    ])
  }

  private func result(_ call: String, _ payload: Value? = nil) throws -> Value {
    try Scripts(
      reading: ["api"], "state.result = deps.api.\(call)", dependencies: ["api": Self.api]
    ).go(payload)
  }

  private func failure(_ call: String) throws -> String? {
    try Scripts(reading: ["api"], "deps.api.\(call)", dependencies: ["api": Self.api]).goFails()
  }

  @Test(
    arguments: [
      ("search('milk', 3)", "milk 3"), ("search('milk')", "milk all"),
      ("search('milk', nil)", "milk all"),
      ("search('milk', scripted.null)", "milk all"), ("search('milk', 3.0)", "milk 3"),
      ("search { query = 'milk', limit = 3 }", "milk 3"), ("search { query = 'milk' }", "milk all"),
      ("save({ title = 'Milk', tags = { 'a', 'b' } })", "Milk: a+b"),
      ("save { todo = { title = 'Milk', tags = {} } }", "Milk: "), ("first({ 'a', 'b' })", "a"),
      ("find(1).title", "Milk"), ("find(2)", nil), ("share(1)", 0.5), ("touch(true)", nil),
      ("null() == scripted.null", true),
    ] as [(String, Value?)])
  func callsTakeAndGiveTypedValues(_ call: String, _ expected: Value?) throws {
    #expect(try result(call) == expected ?? .null)
  }

  /// `deps.date.now()` is one of them.
  @Test func aDateIsTheSecondsSince1970() throws {
    let scripts = try Scripts(
      reading: ["date", "calendar"],
      """
      local now = deps.date.now()
      state.result = { deps.calendar.isNow(now), deps.calendar.epoch(), deps.calendar.same(now) == now }
      """,
      dependencies: [
        "calendar": .client([
          "isNow": .function { (date: Date) in abs(date.timeIntervalSinceNow) < 86_400 },
          "epoch": .function { Date(timeIntervalSince1970: 0) },
          "same": .function { (date: Date) in date },
        ])
      ])
    #expect(try scripts.go() == [true, 0, true])
  }

  @Test func aURLAndDataAreTexts() throws {
    let scripts = try Scripts(
      reading: ["api"],
      "state.result = { deps.api.load('https://a.org/b'), deps.api.page().url, deps.api.size('hé') }",
      dependencies: [
        "api": .client([
          "load": .function { (url: URL) in Data("from \(url.path)".utf8) },
          "page": .function { URL(string: "https://a.org").map { ["url": $0] } },
          "size": .function { (data: Data) in data.count },
        ])
      ])
    #expect(try scripts.go() == ["from /b", "https://a.org", 3])
  }

  @Test func dataIsAStringWithExactlyItsBytes() throws {
    let api = Dependency.client([
      "reversed": .function { (data: Data) in Data(data.reversed()) },
      "size": .function("number", "data") { (_: Int, data: Data?) in data?.count },
      "text": .function("text") { (text: String) in text },
      "value": .function { (value: Value) in value },
    ])
    func scripts(_ body: String) throws -> Scripts {
      try Scripts(reading: ["api"], body, dependencies: ["api": api])
    }
    #expect(
      try scripts(
        """
        local bytes = deps.api.reversed("a\\0\\xff")
        state.result = { bytes == "\\xff\\0a", deps.api.size(1, bytes), deps.api.size(1) }
        """
      ).go() == [true, 3])
    #expect(
      try scripts("deps.api.text('\\xff')").goFails()
        == "bad argument #1 'text' to 'api.text' (UTF-8 expected, got a string of other bytes, which only the type Data "
        + "takes)")
    #expect(
      try scripts("deps.api.value('\\xff')").goFails()?.contains("(UTF-8 expected, ") == true)
    #expect(
      try scripts("deps.api.size { number = 1, data = '\\xff' }").goFails()
        == "api.size.data: a string that is not UTF-8 cannot be stored in state")
    #expect(
      try scripts("state.result = deps.api.reversed('\\xff')").goFails()
        == "state.result: a string that is not UTF-8 cannot be stored in state")
  }

  @Test func aDraftOrActionCanBeAnArgument() throws {
    #expect(try result("save(action.todo)", ["todo": ["title": "A", "tags": ["b"]]]) == "A: b")
  }

  @Test(arguments: [
    ("search(3)", "bad argument #1 'query' to 'api.search' (string expected, got number)"),
    ("search('a', 'b')", "bad argument #2 'limit' to 'api.search' (integer expected, got string)"),
    (
      "search('a', 1.5)",
      "bad argument #2 'limit' to 'api.search' (number has no integer representation)"
    ),
    ("search()", "bad argument #1 'query' to 'api.search' (string expected, got no value)"),
    ("search(nil, 3)", "bad argument #1 'query' to 'api.search' (string expected, got no value)"),
    ("search('a', 1, 2)", "bad argument #3 to 'api.search' (it takes 2 at most, got 3)"),
    ("search(print)", "bad argument #1 'query' to 'api.search' (string expected, got function)"),
    ("share(0/0)", "api.share: NaN cannot be stored in state"),
    ("null(1)", "bad argument #1 to 'api.null' (it takes none, got 1)"),
    ("small(300)", "bad argument #1 to 'api.small' (300 does not fit Int8)"),
    ("search { qery = 'a' }", "'api.search' has no argument 'qery'; did you mean 'query'?"),
    (
      "search { query = 'a', depth = 1 }",
      "'api.search' has no argument 'depth'; it takes query, limit"
    ),
    (
      "search { limit = 3 }",
      "bad argument #1 'query' to 'api.search' (string expected, got no value)"
    ),
    (
      "save({ title = 'a', tags = { 'b', 3 } })",
      "bad argument #1 'todo' to 'api.save' (at tags[2]: string expected, got number)"
    ),
    ("save({ title = 'a' })", "bad argument #1 'todo' to 'api.save' (the key 'tags' is missing)"),
    ("save('a')", "bad argument #1 'todo' to 'api.save' (table expected, got string)"),
  ])
  func aWrongArgumentIsNamed(_ call: String, _ message: String) throws {
    #expect(try failure(call) == message)
  }

  @Test func theErrorIsAtTheLineOfTheCall() throws {
    let scripts = try Scripts(
      reading: ["api"], "\n\n deps.api.search(3)", dependencies: ["api": Self.api])
    try scripts.go()
    #expect(scripts.errors.first?.script == "app.lua")
    #expect(scripts.errors.first?.line == 6)
  }

  @Test func aCallWithAColonSaysWhatIsWrong() throws {
    let scripts = try Scripts(
      reading: ["api"], "deps.api:search('a')", dependencies: ["api": Self.api])
    #expect(try scripts.goFails()?.contains("called with a dot, not a colon") == true)
  }

  @Test func whatABodyThrowsIsAnErrorThatScriptsCanCatch() throws {
    struct Refused: Error, CustomStringConvertible { let description = "the server refused" }
    let scripts = try Scripts(
      reading: ["f", "g"],
      """
      local _, message = pcall(deps.f)
      local _, value = pcall(deps.g)
      state.result = { message, value.code }
      """,
      dependencies: [
        "f": .function { () throws -> Int in throw Refused() },
        "g": .function { () throws -> Int in throw ScriptError("x", value: ["code": 404]) },
      ])
    #expect(try scripts.go() == ["app.lua:4: the server refused", 404])
  }

  @Test func anUncaughtErrorKeepsItsCause() throws {
    struct Refused: Error {}
    let scripts = try Scripts(
      reading: ["f"], "deps.f()",
      dependencies: ["f": .function { () throws -> Int in throw Refused() }])
    try scripts.go()
    #expect(scripts.errors.first?.cause is Refused)
  }

  @Test func aResultThatIsNotStateIsAnError() throws {
    let scripts = try Scripts(
      reading: ["f"], "deps.f()", dependencies: ["f": .function { Double.nan }])
    #expect(try scripts.goFails() != nil)
  }
}
