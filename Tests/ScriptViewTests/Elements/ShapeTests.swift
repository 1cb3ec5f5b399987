import ScriptValue
import ScriptView
import Testing

/// Drawings of shapes, as a view's tree has them.
@Suite struct ShapeTests {
  private let canvas = node(
    "canvas", ["width": 100, "height": 50.5, "label": "Sales"],
    [
      node("shape", ["shape": "line", "x1": 0, "y1": 1, "x2": 2, "y2": 3.5]),
      node(
        "shape",
        [
          "shape": "circle", "x": 10, "y": 10, "radius": 4, "fill": "accent", "label": "May",
          "onTap": ["open", ["month": 5]],
        ]),
      node("shape", ["shape": "text", "x": 1, "y": 2, "text": "<b>", "anchor": "end", "size": 9]),
      node(
        "shape",
        [
          "shape": "rect", "x": 1, "y": 2, "width": 3, "height": 4, "radius": 1,
          "stroke": "#Ff0080",
          "strokeWidth": 2, "opacity": 0.5, "onTap": "rect", "label": "Bar", "disabled": true,
        ]),
    ])

  // MARK: What data may be

  @Test(
    arguments: [
      ["kind": "line", "x1": 0, "y1": -1.5, "x2": 1e9, "y2": 3],
      ["kind": "rect", "x": 0, "y": 0, "width": 0, "height": 3, "radius": 2, "fill": "none"],
      [
        "kind": "circle", "x": 0, "y": 0, "radius": 3, "label": "A", "onTap": "tap",
        "disabled": false,
      ],
      [
        "kind": "path", "d": "M0 0 L10.5,-3e2\nC1 1 2 2 3 3Z", "stroke": "#00ff7F",
        "strokeWidth": 0,
      ],
      ["kind": "text", "x": 0, "y": 0, "text": 5, "anchor": "middle", "opacity": 1],
      ["kind": "circle", "x": 0, "y": 0, "radius": 3, "fill": .null],
    ] as [Value])
  func dataOfAShapeIsAccepted(_ data: Value) { #expect(ViewShape.fault(of: data) == nil) }

  @Test(
    arguments: [
      (1, "is no table with a kind"), ("a", "is no table with a kind"),
      (["x": 1], "has no kind; it may be \"circle\""),
      (["kind": "oval"], "is of the kind \"oval\""),
      (["kind": "circle", "x": 1, "y": 1], "is a circle without radius"),
      (["kind": "circle", "x": 1, "y": 1, "radius": -1], "wrong radius: it is a number from 0"),
      (["kind": "circle", "x": "1", "y": 1, "radius": 1], "wrong x: it is a finite number"),
      (["kind": "circle", "x": .float(.infinity), "y": 1, "radius": 1], "is a circle without x"),
      (["kind": "circle", "x": .float(.nan), "y": 1, "radius": 1], "is a circle without x"),
      (["kind": "circle", "x": 1, "y": 1, "radius": 1, "colour": "red"], "no property 'colour'"),
      (["kind": "circle", "x": 1, "y": 1, "radius": 1, "fil": "red"], "did you mean 'fill'?"),
      (
        ["kind": "circle", "x": 1, "y": 1, "radius": 1, "fill": "red"],
        "wrong fill: it is #rrggbb, or"
      ),
      (["kind": "circle", "x": 1, "y": 1, "radius": 1, "fill": "url(//evil)"], "wrong fill"),
      (["kind": "circle", "x": 1, "y": 1, "radius": 1, "fill": "#fff"], "wrong fill"),
      (["kind": "circle", "x": 1, "y": 1, "radius": 1, "fill": "#ggffff"], "wrong fill"),
      (["kind": "circle", "x": 1, "y": 1, "radius": 1, "opacity": 1.1], "wrong opacity"),
      (
        ["kind": "circle", "x": 1, "y": 1, "radius": 1, "onTap": true],
        "wrong onTap: it is an action"
      ),
      (["kind": "circle", "x": 1, "y": 1, "radius": 1, "label": true], "wrong label"),
      (["kind": "circle", "x": 1, "y": 1, "radius": 1, "disabled": 1], "wrong disabled"),
      (["kind": "path", "d": "L1 1"], "wrong d: it is the path of SVG"),
      (["kind": "path", "d": "M0 0\" onload=\"x"], "wrong d"),
      (["kind": "path", "d": ""], "wrong d"),
      (["kind": "path", "d": .string("M" + String(repeating: " ", count: 1 << 16))], "wrong d"),
      (["kind": "text", "x": 1, "y": 1, "text": "a", "anchor": "left"], "wrong anchor"),
      (["kind": "text", "x": 1, "y": 1, "text": ["a"]], "wrong text: it is a text or a number"),
    ] as [(Value, String)])
  func dataOfAShapeIsRefusedWithWhatIsWrong(_ data: Value, _ message: String) throws {
    let fault = try #require(ViewShape.fault(of: data))
    #expect(fault.contains(message), "\(fault)")
  }

  // MARK: Drawings

  @Test func htmlDrawsSVG() {
    #expect(
      HTMLDrawing.draw(canvas) == """
        <svg class="canvas" aria-label="Sales" role="group" width="100" height="50.5" viewBox="0 0 100 50.5">
          <line class="shape" x1="0" y1="1" x2="2" y2="3.5" fill="none" stroke="var(--text, currentColor)"></line>
          <circle class="shape" aria-label="May" role="button" tabindex="0" cx="10" cy="10" r="4" \
        fill="var(--accent, currentColor)" stroke="none"></circle>
          <text class="shape" x="1" y="2" font-size="9" text-anchor="end" fill="var(--text, currentColor)" stroke="none">\
        &lt;b&gt;</text>
          <rect class="shape" aria-label="Bar" role="button" aria-disabled="true" x="1" y="2" width="3" height="4" rx="1" \
        fill="var(--text, currentColor)" stroke="#Ff0080" stroke-width="2" opacity="0.5"></rect>
        </svg>
        """)
    #expect(
      HTMLDrawing.draw(node("canvas", ["width": 1, "height": 1, "label": "A"])).hasPrefix(
        #"<svg class="canvas" aria-label="A" role="img""#))
  }

  @Test func aShapeOfATreeThatIsMadeByHandIsLeftOutIfItIsWrong() {
    for wrong in [
      ["shape": "oval"], ["shape": "circle", "x": 1, "y": 1], ["shape": 1],
      ["shape": "path", "d": "M0 0\" onload=\"x"],
      ["shape": "circle", "x": 1, "y": 1, "radius": 1, "fill": "url(//evil)"],
    ] as [Value.Object] {
      let html = HTMLDrawing.draw(node("canvas", [:], [node("shape", wrong)]))
      #expect(html.contains("shape left out") && !html.contains("evil") && !html.contains("onload"))
    }
  }

  @Test func textHasTheLabelAndTheShapesThatCanBeTapped() {
    #expect(
      TextDrawing.draw(canvas) == """
        [drawing: Sales]
        [ May ] [ Bar ] (disabled)
        """)
    #expect(TextDrawing.draw(node("canvas", ["decorative": true])) == "")
  }

  // MARK: Use

  @Test func aShapeWithOnTapIsAButton() throws {
    let screen = ViewScreen(node("column", [:], [canvas]))
    let button = try screen.find(ViewQuery("button", "May"))
    #expect(
      try screen.perform(.tap, on: button)
        == .send(["type": "open", "month": 5], transaction: nil))
    #expect(try screen.perform(.focus, on: button) == .nothing)
    let bar = try screen.find(ViewQuery("button", "Bar"))
    #expect(bar.isDisabled)
    #expect(throws: ViewRefusal.self) { try screen.perform(.tap, on: bar) }
    #expect(try screen.all(ViewQuery("button")).count == 2)
    #expect(try screen.find(ViewQuery("canvas")).name == "Sales")
    #expect(throws: ViewRefusal.self) {
      try screen.perform(.tap, at: ViewPath([.child(1), .child(1)]))
    }
  }

  @Test func theAuditAsksForTheNamesOfDrawingsAndOfWhatIsTapped() {
    let unnamed = node(
      "canvas", [:],
      [
        node("shape", ["shape": "circle", "x": 1, "y": 1, "radius": 1, "onTap": "a"]),
        node("shape", ["shape": "circle", "x": 1, "y": 1, "radius": 1]),
      ])
    #expect(
      ViewScreen(unnamed).audit().map { "\($0.kind) \($0.path)" }
        == ["unnamedImage ", "unnamedControl 1"])
    #expect(ViewScreen(canvas).audit() == [])
  }
}
