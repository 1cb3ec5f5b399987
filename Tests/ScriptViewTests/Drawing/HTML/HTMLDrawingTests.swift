import ScriptValue
import ScriptView
import Testing

/// Drawings as HTML.
struct HTMLDrawingTests {
  private func expect(
    _ tree: Value, _ html: String, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(HTMLDrawing.draw(tree) == html, sourceLocation: location)
  }

  @Test func aScreenConsistsOfRealElementsWithRolesAndNamesANodeALine() {
    expect(
      Screens.todos([Screens.todo(1, "Milk")]),
      """
      <section class="screen">
        <h1>Todos</h1>
        <fieldset class="picker segmented" role="radiogroup">
          <legend>Filter</legend>
          <label><input type="radio" value="all"> all</label>
          <label><input type="radio" value="active" checked> active</label>
          <label><input type="radio" value="completed"> completed</label>
        </fieldset>
        <ul class="list">
          <li>
            <div class="row">
              <input class="toggle" aria-label="Done" type="checkbox">
              <input class="textField" aria-label="Untitled todo" type="text" value="Milk">
            </div>
          </li>
        </ul>
        <div class="toolbar" role="toolbar">
          <button class="button" type="button" disabled>Clear completed</button>
          <button class="button primary" type="button" data-shortcut="mod+n">Add</button>
        </div>
      </section>
      """)
  }

  @Test func whatIsPresentedIsADialogBehindTheRest() {
    expect(
      node(
        "column",
        ["alert": child("alert", Screens.alert("Delete?", [button("OK")], message: "Sure?"))]),
      """
      <div class="column">
      </div>
      <dialog class="alert" role="alertdialog" aria-label="Delete?" aria-modal="true" open>
        <h2>Delete?</h2>
        <p>Sure?</p>
        <button class="button" type="button">OK</button>
      </dialog>
      """)
  }

  @Test func anErrorStandsInItsPlaceAboveTheLastGoodTree() {
    expect(
      failed("no <b>", location: "app.lua:12", text("last good")),
      """
      <div class="failed">
        <p class="error" role="alert">no &lt;b&gt;</p>
        <p class="location">app.lua:12</p>
        <p class="text">last good</p>
      </div>
      """)
  }

  @Test func controlsHaveTheirLabelOrItsTextAsAnAttribute() {
    expect(
      node(
        "form", [:],
        [
          node(
            "textField", ["label": "Name", "prompt": "Who?", "error": "too short", "hint": "h"]),
          node("textField", ["label": "Find", "style": "search", "value": "x"]),
          node("secureField", ["label": "Password", "value": "secret"]),
          node("textEditor", ["label": "Notes", "value": "a\nb<"]),
          node("toggle", ["label": "On", "value": true, "style": "switch"]),
          node("slider", ["label": "Volume", "min": 0, "max": 10.0, "value": 4]),
          node("stepper", ["label": "Count", "value": 2]),
          node("datePicker", ["label": "At", "style": "dateTime", "value": "2024-05-01T12:00"]),
          node("file", ["label": "Picture", "accept": [".png", "image/gif"]]),
          node("file", ["label": "Picture", "value": ["name": "cat.png", "path": "uploads/1"]]),
          node(
            "picker", ["label": "Sort", "value": 2, "options": [1, ["value": 2, "label": "Two"]]]),
        ]),
      """
      <form class="form">
        <label>Name <input class="textField" aria-description="h" placeholder="Who?" aria-invalid="true" aria-describedby="hint-1 error-1" type="text" value=""></label>
        <p class="hint" id="hint-1" aria-hidden="true">h</p>
        <p class="error" id="error-1" role="alert">too short</p>
        <label>Find <input class="textField search" type="search" value="x"></label>
        <label>Password <input class="secureField" type="password"></label>
        <label>Notes <textarea class="textEditor" rows="3">a&#10;b&lt;</textarea></label>
        <label><input class="toggle switch" type="checkbox" role="switch" checked> On</label>
        <label>Volume <input class="slider" type="range" value="4" min="0" max="10" step="any"> <output aria-hidden="true">4</output></label>
        <label>Count <input class="stepper" type="number" value="2" step="1"></label>
        <button type="button" class="less" aria-label="Decrease">−</button>
        <button type="button" class="more" aria-label="Increase">+</button>
        <label>At <input class="datePicker dateTime" type="datetime-local" value="2024-05-01T12:00"></label>
        <label>Picture <input class="file" type="file" accept=".png,image/gif"></label>
        <label>Picture <input class="file" type="file"> <output>cat.png</output></label>
        <label>
          <span>Sort</span>
          <select class="picker">
            <option value="1">1</option>
            <option value="2" selected>Two</option>
          </select>
        </label>
      </form>
      """)
  }

  @Test func eachErrorDescribesItsOwnControl() {
    let wrong = { (kind: String, error: String) in
      node(kind, ["label": "L", "error": .string(error)])
    }
    expect(
      node(
        "column", ["sheet": child("sheet", wrong("secureField", "three"))],
        [
          wrong("textField", "one"), wrong("textField", ""),
          node("picker", ["label": "P", "style": "radio", "error": "two"]),
        ]),
      """
      <div class="column">
        <label>L <input class="textField" aria-invalid="true" aria-describedby="error-1" type="text" value=""></label>
        <p class="error" id="error-1" role="alert">one</p>
        <label>L <input class="textField" type="text" value=""></label>
        <fieldset class="picker radio" role="radiogroup" aria-invalid="true" aria-describedby="error-2">
          <legend>P</legend>
        </fieldset>
        <p class="error" id="error-2" role="alert">two</p>
      </div>
      <dialog class="sheet" aria-modal="true" open>
        <label>L <input class="secureField" aria-invalid="true" aria-describedby="error-3" type="password"></label>
        <p class="error" id="error-3" role="alert">three</p>
      </dialog>
      """)
  }

  /// A label of an element without a role is passed over.
  @Test func tabsTextsBoxesAndProgressAreCalledByTheirLabels() {
    expect(
      node(
        "column", ["label": "All"],
        [
          node("tabs", ["label": "Planner"], [node("group", ["label": "Days"])]),
          node("text", ["text": "12", "label": "Guests"]),
          node("badge", ["text": "3", "label": "3"]),
          node("heading", ["text": "Hello", "label": "Greeting"]),
          node("progress", ["value": 0.5, "label": "Loaded"]),
        ]),
      """
      <div class="column" aria-label="All" role="group">
        <div class="tabs">
          <div role="tablist" aria-label="Planner">
            <button type="button" role="tab" aria-selected="true">Days</button>
          </div>
          <div role="tabpanel" aria-label="Days">
            <fieldset class="group" aria-label="Days">
            </fieldset>
          </div>
        </div>
        <p class="text" aria-label="Guests" role="group">12</p>
        <span class="badge">3</span>
        <h2 class="heading" aria-label="Greeting">Hello</h2>
        <label>Loaded <progress class="progress" value="0.5"></progress></label>
      </div>
      """)
  }

  /// Browsers drop the first line break in a `textarea`.
  @Test func aTextThatBeginsWithALineBreakHasOneMoreInAnEditor() {
    let editor = { (value: Value) in node("textEditor", ["label": "Notes", "value": value]) }
    expect(
      editor("\nMilk\n"),
      #"<label>Notes <textarea class="textEditor" rows="3">&#10;&#10;Milk&#10;</textarea></label>"#)
    expect(
      editor("Milk\n"),
      #"<label>Notes <textarea class="textEditor" rows="3">Milk&#10;</textarea></label>"#)
  }

  @Test func aMenuMayShowItsIconAloneAndIsStillCalledByItsLabel() {
    let menu: Value.Object = ["label": "More", "icon": "ellipsis", "labelHidden": true]
    expect(
      node("menu", menu),
      """
      <details class="menu">
        <summary aria-label="More" data-icon="ellipsis"></summary>
      </details>
      """)
  }

  @Test func tablesSectionsOfListsTabsAndDisclosuresAreWhatTheyAre() {
    expect(
      node(
        "table",
        [
          "columns": ["Name"], "selection": "s", "selected": 1,
          "window": ["first": 1, "count": 1, "total": 1001],
        ],
        [node("forEach", [:], [row(1, node("row", [:], [text("Milk")]))])]),
      """
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Name</th>
          </tr>
        </thead>
        <tbody>
          <tr aria-current="true">
            <td>
              <p class="text">Milk</p>
            </td>
          </tr>
        </tbody>
      </table>
      <p class="note">… 1,000 more</p>
      """)
    expect(
      node("list", [:], [node("section", ["title": "Fruit", "footer": "fresh"], [text("Apple")])]),
      """
      <ul class="list">
        <li class="section">
          <h2>Fruit</h2>
          <ul>
            <li>
              <p class="text">Apple</p>
            </li>
          </ul>
          <footer>fresh</footer>
        </li>
      </ul>
      """)
    expect(
      node("tabs", [:], [node("disclosure", ["label": "A", "value": false], [text("hidden")])]),
      """
      <div class="tabs">
        <div role="tablist">
          <button type="button" role="tab" aria-selected="true">A</button>
        </div>
        <div role="tabpanel" aria-label="A">
          <details class="disclosure">
            <summary>A</summary>
          </details>
        </div>
      </div>
      """)
  }

  @Test func whatShowsSomethingHasItsValueInAnAttributeAClassIsPassedThrough() {
    expect(
      node(
        "row", ["class": "my \"own\"", "spacing": "small"],
        [
          node("text", ["text": "a\nb", "style": "code", "tone": "danger", "announce": true]),
          node("heading", ["text": "H", "level": 9]),
          node("image", ["source": "a.png", "label": "A cat", "width": 64, "height": "tall"]),
          node("image", ["source": "javascript:x", "decorative": true]),
          node("icon", ["text": "star", "label": "Favourite"]),
          node("number", ["label": "Price", "value": 1234.5]),
          node("progress", ["value": 3, "max": 4.0]),
        ]),
      """
      <div class="row spacing-small my &quot;own&quot;">
        <code class="text code tone-danger" aria-live="polite">a<br>b</code>
        <h6 class="heading">H</h6>
        <img class="image" src="a.png" width="64" alt="A cat">
        <img class="image" aria-hidden="true" alt="">
        <p class="note">address left out</p>
        <span class="icon" aria-label="Favourite" role="img" data-icon="star">★</span>
        <p class="number">Price: <data value="1234.5">1,234.5</data></p>
        <progress class="progress" value="3" max="4"></progress>
      </div>
      """)
  }

  @Test func addressesAreSafeOrLeftOut() {
    func link(_ address: String) -> String {
      HTMLDrawing.draw(node("link", ["text": "x", "href": .string(address)]))
    }
    #expect(
      link("https://a.b/?q=\"&c='<")
        == #"<a class="link" href="https://a.b/?q=&quot;&amp;c=&#39;&lt;" rel="noopener noreferrer">x</a>"#
    )
    for address in ["mailto:a@b.c", "HTTP://a.b", "a/b:c", "#x", "?q=a:b", "/a"] {
      #expect(link(address).hasPrefix("<a "), "\(address)")
    }
    for address in [
      "javascript:alert(1)", "JaVaScRiPt:x", " javascript:x", "java\tscript:x", "\u{1}javascript:x",
      "data:text/html,x", "vbscript:x", "//evil.com", "\\\\evil.com", "/\\evil.com", "file:///etc",
      "",
      "blob:https://a.b", "javascript\u{3A}x",
    ] {
      #expect(link(address).hasPrefix("<span class=\"link\">x</span>"), "\(address)")
    }
    #expect(!HTMLDrawing.draw(node("image", ["source": "mailto:a@b.c"])).contains("src"))
  }
}
