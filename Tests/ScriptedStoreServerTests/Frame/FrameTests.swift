import ScriptView
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

/// Frames.
struct FrameTests {
  /// The text of the frame between two trees; empty if there is none.
  func frame(_ old: Value, _ new: Value, animation: Value? = nil, isProduction: Bool = false)
    -> String
  {
    let frame = Frame(7, from: old, to: new, animation: animation, isProduction: isProduction)
    return String(decoding: frame.text ?? [], as: UTF8.self)
  }

  func rows(_ ids: [Int], _ view: (Int) -> Value) -> Value {
    node(
      "list", ["selection": "selected"],
      [node("forEach", ["list": "rows"], ids.map { row(Value($0), view($0)) })])
  }

  // MARK: Any trees

  @Test(arguments: 0..<300 as Range<UInt64>)
  func aPageThatGetsTheFirstFrameHasTheTree(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let tree = RandomViews.tree(&random)
    var reader = FrameReader()
    try reader.read(try #require(Frame(1, from: .null, to: tree, isProduction: false).text))
    #expect(reader.tree == projected(tree))
  }

  @Test(arguments: 0..<400 as Range<UInt64>)
  func aPageThatGetsTheNextFrameHasTheNextTree(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var tree = RandomViews.tree(&random)
    var reader = FrameReader()
    try reader.read(try #require(Frame(1, from: .null, to: tree, isProduction: false).text))
    for version in 2...4 {
      let old = tree
      for _ in 0..<Int.random(in: 1...5, using: &random) { RandomViews.edit(&tree, &random) }
      if let text = Frame(version, from: old, to: tree, isProduction: false).text {
        try reader.read(text)
      }
      #expect(reader.tree == projected(tree))
    }
  }

  // MARK: The format

  @Test func theFormatIsThatOfTheDocumentation() {
    func todo(_ title: String, _ done: Bool) -> Value {
      node("row", [:], [text(title), node("toggle", ["bind": "done", "value": .boolean(done)])])
    }
    let titles = ["", "Milk", "Bread", "Tea", "Jam"]
    func list(_ ids: [Int], done: Int = 0) -> Value {
      node(
        "list", [:],
        [node("forEach", [:], ids.map { row(Value($0), todo(titles[$0], $0 == done)) })])
    }
    #expect(
      frame(.null, list([1, 2, 3])) == """
        [7,[[0,[],{"kind":"list","children":[{"kind":"forEach","children":[\
        [0,[[1,3]],["Milk","Bread","Tea"]]]}]}]],\
        [{"kind":"row","children":[[],{"kind":"toggle","bind":1,"value":false}]}]]
        """)
    #expect(
      frame(list([1, 2, 3]), list([1, 2, 3], done: 3)) == #"[7,[[1,[1,[3],2],{"value":true}]]]"#)
    #expect(
      frame(list([1, 2, 3]), list([1, 2, 3, 4]))
        == #"[7,[[2,[1],[{"kind":"row","id":4,"children":["Jam",{"kind":"toggle","bind":1,"value":false}]}]]]]"#
    )
    #expect(frame(list([1, 2, 3]), list([2, 1, 3])) == "[7,[[4,[1,[1]],[3]]]]")
    #expect(frame(list([1, 2, 3]), list([1, 3])) == "[7,[[3,[1,[2]]]]]")
  }

  @Test func aTemplateHasAMarkForTheIdOfItsRow() throws {
    func list(_ ids: [Value]) -> Value {
      let rows = ids.map { row($0, node("row", [:], [["kind": "text", "text": $0], text("x")])) }
      return node("list", [:], [node("forEach", [:], rows)])
    }
    #expect(
      frame(.null, list([1, 2, 3])) == """
        [7,[[0,[],{"kind":"list","children":[{"kind":"forEach","children":[[0,[[1,3]]]]}]}]],\
        [{"kind":"row","children":[{},"x"]}]]
        """)
    // These are not sent as texts are.
    for ids: [Value] in [
      ["a", "b", "\u{0}c"], [1, 2, 0.5], ["", "a", "\u{0}"],
    ] {
      var reader = FrameReader()
      try reader.read(try #require(Frame(1, from: .null, to: list(ids), isProduction: false).text))
      #expect(reader.tree == projected(list(ids)))
    }
  }

  @Test func treesThatLookTheSameToAPageMakeNoFrame() {
    #expect(frame(button("A", ["task": "a"]), button("A", ["task": "b"])) == "")
    #expect(frame(text("A"), text("A")) == "")
  }

  @Test func stepsThatTwoPathsHaveInCommonAreANumber() {
    let old = node(
      "column", [:], [text("a"), node("row", [:], [text("b"), text("c"), text("d")])])
    let new = node(
      "column", [:], [text("a"), node("row", [:], [text("x"), text("y"), text("d")])])
    #expect(
      frame(node("column", [:], [old]), node("column", [:], [new]))
        == #"[7,[[1,[1,2,1],{"text":"x"}],[1,[-2,2],{"text":"y"}]]]"#)
  }

  @Test func anAnimationIsInItsFrame() {
    #expect(
      frame(text("a"), text("b"), animation: "spring") == #"[7,[[1,[],{"text":"b"}]],0,"spring"]"#)
  }

  private static let hidden: Value = "gnp\u{202E}exe\u{2066}\u{1B}"

  @Test(arguments: [
    hidden, node("text", ["text": hidden]), node("text", ["text": hidden, "tone": "danger"]),
    node("button", ["text": hidden, "action": "a"]), node("section", ["title": hidden]),
    node("date", ["value": hidden]), node("textField", ["error": hidden]),
    node("picker", ["options": [hidden]]),
    node("picker", ["options": [["value": 1, "label": hidden]]]),
    node("table", ["columns": [["title": hidden]]]), node("table", ["columns": [hidden]]),
    node("failed", ["error": ["message": hidden]]),
    node("alert", ["title": "Sure?", "message": hidden]),
    node("forEach", [:], (1...3).map { row(Value($0), node("row", [:], [hidden])) }),
  ])
  func marksThatChangeTheOrderOfTextAreEscapesInAllThatAPageShows(shown: Value) {
    let before = node("column", [:], [node("column")])
    for frame in [frame(.null, shown), frame(before, node("column", [:], [shown]))] {
      #expect(frame.contains(#"gnp\\u{202e}exe\\u{2066}\\027"#), "\(frame)")
    }
  }

  @Test func aTextThatChangesIsAsVisibleAsTheFirstOneWhatAPersonEditsOrChoosesStays() {
    let date = node("date", ["value": "2024-05-01"])
    let changed = frame(date, node("date", ["value": Self.hidden]))
    #expect(changed == #"[7,[[1,[],{"value":"gnp\\u{202e}exe\\u{2066}\\027"}]]]"#)
    let field = frame(node("textField", ["value": ""]), node("textField", ["value": Self.hidden]))
    #expect(field.contains("gnp\u{202E}exe") || field.contains(#"gnp\u202Eexe"#), "\(field)")
    let options = frame(
      node("picker", ["options": ["a"]]), node("picker", ["options": [Self.hidden]]))
    #expect(options.contains(#""label":"gnp\\u{202e}exe"#), "\(options)")
    #expect(options.ranges(of: "gnp").count == 2, "\(options)")
  }

  @Test func actionsStayOnTheServer() {
    let old = button("Delete", ["action": ["delete", ["secret": 7]], "onAppear": "seen"])
    #expect(frame(.null, old) == #"[7,[[0,[],{"kind":"button","text":"Delete","action":1}]]]"#)
    let place = node("child", ["action": "destination.secret"], [old])
    #expect(!frame(.null, place).contains("secret"))
  }

  @Test(arguments: ["javascript:alert(1)", "data:text/html,x", "//elsewhere"])
  func addressesThatAreNotSafeAreLeftOut(_ address: String) {
    let link = node("link", ["text": "Go", "href": .string(address)])
    #expect(!frame(.null, link).contains(address))
    #expect(
      frame(node("link", ["text": "Go", "href": "/a"]), link) == #"[7,[[1,[],{"href":null}]]]"#)
    #expect(!frame(.null, node("image", ["source": .string(address)])).contains(address))
  }

  @Test func withProductionTheErrorsOfViewsStayOnTheServer() {
    let tree = failed("todos.lua:3: no such key", location: "todos.lua:3", traceback: "stack")
    #expect(frame(.null, tree).contains("todos.lua:3"))
    #expect(!frame(.null, tree, isProduction: true).contains("todos.lua"))
    let other = failed("todos.lua:4: oh", location: "todos.lua:4")
    #expect(!frame(tree, other, isProduction: true).contains("todos.lua"))
  }

  @Test func anIdThatJavaScriptCannotHoldComesBackAsItWas() throws {
    let ids: [Value] = [
      .integer(.max), .integer(.min), .float(0.5), .float(.infinity), "\u{0}a", "a",
      "9223372036854775807", 7,
    ]
    let tree = node("forEach", [:], ids.map { row($0, text("x")) })
    let first = frame(.null, tree)
    var reader = FrameReader()
    try reader.read(Array(first.utf8))
    #expect(reader.tree == projected(tree))
    for id in ids {
      let path = ViewPath([.row(.init(id: id))])
      let wire: Value = [[WireID.value(of: id)]]
      #expect(WireID.path(try Value(json: wire.json())) == path)
    }
    #expect(!first.contains(#"[9223372036854775807]"#))
  }

  @Test func anyNumberInAnyPropertyBecomesJSON() throws {
    let numbers: [Value] = [
      .float(1.7e308), .float(-1.7e308), .float(.leastNonzeroMagnitude), .float(.nan),
      .float(.infinity), .float(-.infinity), .integer(.max), .integer(.min), 0,
    ]
    var last = Value.null
    // NaN and the infinities become null in a tree.
    for (one, two) in zip(numbers, numbers.dropFirst() + numbers.prefix(1)) {
      var values: Value.Object = [:]
      for property in ViewElement.all.flatMap(\.properties) { values[property.name] = one }
      values["window"] = ["first": one, "count": two, "total": one]
      let nodes = ViewElement.all.map { node($0.kind, values, [text("a")]) }
      let rows = numbers.map { row($0, node("row", [:], [node("text", ["text": two])])) }
      let tree = node("column", [:], nodes + [node("list", [:], [node("forEach", [:], rows)])])
      for old in [Value.null, last] where old != tree { _ = try Value(json: frame(old, tree)) }
      last = tree
    }
  }

  // MARK: Sizes

  /// A list as js-framework-benchmark has it.
  func benchmark(_ ids: [Int], selected: Int? = nil) -> Value {
    let (colours, things) = (
      ["red", "green", "yellow", "purple"], ["table", "chair", "house", "keyboard"]
    )
    var list = rows(ids) { id in
      node(
        "row", [:],
        [
          text("\(id)"),
          button(
            "pretty \(colours[id % 4]) \(things[id / 4 % 4])",
            ["action": ["select", ["id": Value(id)]]]),
          button("Remove", ["action": ["remove", ["id": Value(id)]]]),
        ])
    }
    if let selected { list["selected"] = Value(selected) }
    return node("screen", [:], [node("toolbar", [:], [button("Create")]), list])
  }

  @Test func _1000RowsAreCreatedByAtMost32KB() {
    let created = frame(benchmark([]), benchmark(Array(1...1000)))
    #expect(created.utf8.count <= 32 << 10)
  }

  @Test func toSelectSwapAndRemoveAmong10000RowsTakesAtMost64BytesEach() {
    var ids = Array(1...10_000)
    let old = benchmark(ids)
    #expect(frame(old, benchmark(ids, selected: 5)).utf8.count <= 64)
    ids.swapAt(1, 998)
    #expect(frame(old, benchmark(ids)).utf8.count <= 64)
    ids.swapAt(1, 998)
    ids.remove(at: 5)
    #expect(frame(old, benchmark(ids)).utf8.count <= 64)
  }
}
