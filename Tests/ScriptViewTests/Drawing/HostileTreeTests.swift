import ScriptValue
import ScriptView
import Testing

/// Numbers that sums, quotients and conversions cannot hold.
private let hostileNumbers: [Value] = [
  .float(1.7e308), .float(-1.7e308), .float(.leastNonzeroMagnitude), .float(.nan),
  .float(.infinity),
  .float(-.infinity), .integer(.max), .integer(.min), 0,
]

/// Whatever is in a tree, drawings stay harmless and end.
struct HostileTreeTests {
  /// Nodes that show a text wherever a text can be.
  private func everywhere(_ text: Value) -> Value {
    let properties: Value.Object = [
      "text": text, "label": text, "title": text, "footer": text, "hint": text, "prompt": text,
      "value": text, "error": text, "class": text, "name": text,
      "options": [text, ["value": 1, "label": text]], "columns": [["title": text]], "icon": text,
      "shortcut": text, "currency": text, "message": text, "min": text, "max": text,
    ]
    let kinds = ViewElement.all.map(\.kind).filter { $0 != "child" && $0 != "forEach" }
    var tree = node("column", properties, kinds.map { node($0, properties, [.null, text]) })
    tree["alert"] = child("alert", node("alert", properties))
    let broken: Value.Object = ["error": ["message": text, "location": text, "traceback": text]]
    tree["sheet"] = child("a", node("failed", broken, [text]))
    tree["children"][kinds.count] = node(text.string ?? "", properties)
    return tree
  }

  @Test(arguments: [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onclick='x", "</textarea>",
    "<!--", "&lt;script&gt;", "]]>",
  ])
  func noMarkupOfAStateIsMarkupOfThePage(text: String) {
    let html = HTMLDrawing.draw(everywhere(.string(text)))
    let plain = HTMLDrawing.draw(everywhere("plain"))
    func tags(_ html: String) -> [Substring] {
      html.split(separator: "<").map { $0.prefix { $0.isLetter || $0 == "/" || $0.isNumber } }
    }
    #expect(tags(html) == tags(plain))
    #expect(!html.contains("<script") && !html.contains("<!--"))
    #expect(html.filter { $0 == "\"" }.count == plain.filter { $0 == "\"" }.count)
  }

  @Test func controlCharactersAndOverridesOfDirectionAreEscapesInBothDrawings() {
    let text = "a\u{0}\u{7}\u{1B}[2J\u{9B}\u{202E}\u{2066}\u{2028}\u{85}\r\u{7F}b"
    for drawing in [
      TextDrawing.draw(everywhere(.string(text))), HTMLDrawing.draw(everywhere(.string(text))),
    ] {
      for scalar in drawing.unicodeScalars where scalar != "\n" {
        #expect(scalar.properties.generalCategory != .control && scalar.value != 0x202E)
      }
      #expect(drawing.contains(#"\027[2J"#) && drawing.contains(#"\u{202e}\u{2066}"#))
    }
  }

  @Test func messagesAreVisibleAndHaveAnEndWhateverTheyName() throws {
    let name = "\u{1B}[2J\u{202E}" + String(repeating: "x", count: 10_000)
    var tree = everywhere(.string(name))
    tree["children"] = [
      .object(Value.Object([("kind", .string(name))])),
      node("forEach", ["action": .string(name)], [row(.string(name), button(name))]),
      node(
        "list",
        [
          "onDelete": .string(name),
          "window": ["first": 1, "count": .integer(1 << 53), "total": 1],
        ]),
      node("toggle", ["bind": .string(name)]),
    ]
    tree.remove(at: "alert")
    tree.remove(at: "sheet")
    let screen = ViewScreen(tree)
    var messages = screen.audit().map(\.message)
    let paths: [Value] = [[1], [2, [.string(name)]], [3], [4], [9], [[.string(name)]], ["sheet"]]
    for path in try paths.map({ try #require(ViewPath($0)) }) {
      for gesture in [
        ViewGesture.tap, .enter(.string(name)), .delete([.string(name)]), .dismiss, .back,
        .press(name), .press("mod+" + name),
      ] {
        do throws(ViewRefusal) { _ = try screen.perform(gesture, at: path) } catch {
          messages.append(error.message)
        }
      }
      do throws(ViewChangeError) {
        _ = try tree.applying([.remove(path), .set(path, properties: [:], removed: [])])
      } catch { messages.append(error.message) }
    }
    for query in [
      ViewQuery(name), ViewQuery("button", "y"), ViewQuery("row", number: 1),
      ViewQuery("slider", name),
    ] {
      do throws(ViewQueryError) { _ = try screen.find(query) } catch {
        messages.append(error.message)
      }
    }
    #expect(messages.count > 30)
    for message in messages {
      #expect(message.utf8.count < 10_000)
      #expect(!message.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
    }
  }

  @Test(arguments: hostileNumbers)
  func anyNumberInAnyPropertyIsDrawnFoundAndEntered(one: Value) throws {
    let kinds = ViewElement.all.filter { element in
      element.properties.contains { [.number, .count([])].contains($0.kind) }
        || element.children == .text || element.group == .enter || element.kind == "grid"
    }
    // NaN and the infinities become null in a tree.
    let numbers = hostileNumbers.filter { $0.double?.isFinite == true } + [.null]
    for two in numbers {
      for three in [.float(1.7e308), .float(.leastNonzeroMagnitude), 0] as [Value] {
        let properties: Value.Object = [
          "label": "L", "bind": "x", "value": one, "min": two, "max": three, "step": three,
          "digits": two, "level": one, "lines": two, "columns": one, "text": one, "onDelete": "d",
          "window": ["first": two, "count": one, "total": three], "options": [one, two],
        ]
        var nodes = kinds.map { node($0.kind, properties, [text("a"), text("b")]) }
        for style in ["decimal", "percent", "currency", "bytes"] {
          nodes.append(node("number", ["value": one, "digits": two, "style": .string(style)]))
        }
        nodes.append(node("list", properties, [node("forEach", [:], [row(one, text("a"))])]))
        let tree = node("column", [:], nodes)
        let drawing = TextDrawing.draw(tree)
        #expect(!drawing.contains("[##########-") && drawing.contains("L: ["))
        _ = HTMLDrawing.draw(tree)
        let screen = ViewScreen(tree)
        _ = screen.audit()
        for position in nodes.indices {
          let path = ViewPath([.child(position + 1)])
          guard case .send(let action, _)? = try? screen.perform(.enter(one), at: path),
            case .float(let entered) = action["value"]
          else { continue }
          #expect(entered.isFinite || nodes[position]["kind"] == "picker", "\(nodes[position])")
        }
      }
    }
  }

  @Test func aPathWithAnyPositionLeadsSomewhereOrNowhere() {
    let tree = node("column", [:], [text("a")])
    for position in [Int.min, -1, 0, 2, .max] {
      let path = ViewPath([.child(position)])
      #expect(ViewScreen(tree).location(at: path) == nil)
      #expect(throws: ViewChangeError.self) { try tree.applying([.remove(path)]) }
      #expect(throws: ViewChangeError.self) {
        try tree.applying([.set(path, properties: [:], removed: [])])
      }
    }
  }

  @Test func aSliderOverAllNumbersHasItsMarkWhereTheValueIs() {
    func marks(_ value: Double) -> String {
      TextDrawing.draw(
        node("slider", ["value": .float(value), "min": .float(-1.7e308), "max": .float(1.7e308)]))
    }
    #expect(marks(-1.7e308) == "[----------] -1.7e+308")
    #expect(marks(0) == "[#####-----] 0")
    #expect(marks(1.7e308) == "[##########] 1.7e+308")
  }

  @Test func aDrawingIsAtMost100000ColumnsWide() {
    #expect(TextDrawing.draw(node("divider"), width: .max).count == 100_000)
    #expect(TextDrawing.draw(node("divider"), width: .min).count == 1)
  }

  @Test func marksWithoutACharacterAndCharactersOfEndlessMarksTakeTheirColumns() {
    #expect(TextDrawing.draw(text("\u{301}\u{200B}a")) == #"\u{301}\u{200b}a"#)
    let piled = "e" + String(repeating: "\u{301}", count: 5000)
    #expect(TextDrawing.draw(text(piled)).unicodeScalars.count == 16)
    #expect(TextDrawing.draw(node("row", [:], [text("e\u{301}"), text("x")])) == "e\u{301} x")
  }

  @Test func aTextOf10MBIsCutWithANote() {
    let long = Value.string(String(repeating: "word ", count: 2_000_000))
    let tree = node("column", [:], [node("text", ["text": long])])
    #expect(TextDrawing.draw(tree, width: 20_000).hasSuffix("(… 9,983,616 more bytes)"))
    #expect(TextDrawing.draw(tree).utf8.count < 20_000)
    #expect(HTMLDrawing.draw(tree).contains("(… 9,983,616 more bytes)</p>"))
    // One for each property of each kind, ten times as long as what is drawn.
    let everywhere = everywhere(.string(String(repeating: "牛", count: 54_614)))
    for drawing in [TextDrawing.draw(everywhere, width: 20_000), HTMLDrawing.draw(everywhere)] {
      #expect(drawing.utf8.count < 10_000_000 && drawing.contains("… 147,459 more bytes"))
    }
  }

  @Test func treesAsDeepAsValuesMayBeAreDrawn() throws {
    for kind in ["column", "row", "section", "list", "tabs", "grid", "child", "table", "form"] {
      var tree = text("deep")
      while tree.depth < 126 { tree = node(kind, ["title": "t", "label": "l"], [tree]) }
      #expect(TextDrawing.draw(tree).contains("deep"))
      #expect(HTMLDrawing.draw(tree).contains("deep"))
      let other = try Value(json: tree.json())
      #expect(ViewDifference.changes(from: tree, to: other).isEmpty)
      #expect(ViewScreen(tree).audit().isEmpty || kind == "tabs")
      #expect(try ViewScreen(tree).find(ViewQuery("text", "deep")).location.path.steps.count > 50)
    }
    var sheets = text("deep")
    while sheets.depth < 125 { sheets = node("column", ["sheet": child("a", sheets)]) }
    #expect(TextDrawing.draw(sheets).contains("deep"))
    #expect(ViewScreen(sheets).layers.count > 40)
  }

  @Test func _100000RowsAreDrawnAndTheLastOneUsed() throws {
    let rows = (0..<100_000).map { row(.integer(Int64($0)), text("row \($0)")) }
    let tree = node("list", ["onDelete": "delete"], [node("forEach", ["action": "rows"], rows)])
    let drawing = TextDrawing.draw(tree)
    #expect(drawing.hasSuffix("row 99999"))
    #expect(drawing.utf8.count { $0 == 0x0A } == 99_999)
    let path = ViewPath([.child(1), .row(.init(id: 99_999))])
    #expect(
      try ViewScreen(tree).perform(.delete([]), at: path)
        == .send(["type": "delete", "ids": [99_999], "rows": [100_000]], transaction: nil))
  }

  @Test func _3000RowsOfControlsAreDrawnAsHTMLFoundAndAudited() throws {
    let tree = Screens.todos((0..<3000).map { Screens.todo($0, "todo \($0)") })
    #expect(HTMLDrawing.draw(tree).contains("value=\"todo 2999\""))
    let screen = ViewScreen(tree)
    #expect(screen.audit().isEmpty)
    #expect(try screen.find(ViewQuery("row", number: 3000)).name == "todo 2999")
  }
}
