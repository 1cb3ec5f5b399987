import ScriptValue
import ScriptView
import Testing

/// Icons as those draw them that have only characters.
@Suite struct IconTests {
  @Test func namesAreUniqueAndOfLettersDigitsAndHyphens() {
    #expect(ViewIcon.names.count > 200)
    #expect(ViewIcon.names == Set(ViewIcon.names).sorted())
    for name in ViewIcon.names {
      #expect(name.wholeMatch(of: /[a-z][a-z0-9-]*/) != nil, "\(name)")
      #expect(ViewIcon.fault(of: name) == nil)
    }
  }

  @Test func whatOtherSetsCallAnIconLeadsToOneThatIsHere() {
    for name in ["home", "edit", "gear", "close", "filter", "warning", "help"] {
      #expect(ViewIcon.nearest(to: name).map(ViewIcon.names.contains) == true, "\(name)")
    }
  }

  @Test(arguments: ["★", "+", "12", "", "é", "👍", "…"])
  func aTextWithoutLettersIsShownAsItIs(_ text: String) {
    #expect(ViewIcon.fault(of: text) == nil)
    let drawn = TextDrawing.draw(["kind": "icon", "text": .string(text), "label": "Sign"])
    #expect(drawn == text)
  }

  @Test func anIconIsACharacterIfOneFitsAndItsLabelOtherwise() {
    func draw(_ node: Value) -> String { TextDrawing.draw(node) }
    #expect(draw(["kind": "icon", "text": "star", "label": "Favourite"]) == "★")
    #expect(draw(["kind": "icon", "text": "wallet", "label": "Money"]) == ":Money:")
    #expect(draw(["kind": "icon", "text": "wallet"]) == ":wallet:")
    #expect(draw(["kind": "icon", "text": "star", "decorative": true]) == "")
    #expect(draw(["kind": "button", "text": "Add", "icon": "plus"]) == "[ + Add ]")
    #expect(draw(["kind": "button", "text": "Pay", "icon": "wallet"]) == "[ Pay ]")
    #expect(draw(["kind": "button", "label": "Close", "icon": "x"]) == "[ Close ]")
    #expect(draw(["kind": "button", "icon": "x"]) == "[ ✕ ]")
    #expect(draw(["kind": "menu", "label": "More", "icon": "ellipsis"]) == "[ … More ▾ ]")
  }

  @Test func htmlNamesTheIconOfAMenuAndOfAButton() {
    #expect(
      HTMLDrawing.draw(["kind": "menu", "label": "More", "icon": "ellipsis"]).contains(
        #"<summary data-icon="ellipsis">More</summary>"#))
    #expect(
      HTMLDrawing.draw(["kind": "icon", "text": "wallet", "label": "Money"])
        == #"<span class="icon" aria-label="Money" role="img" data-icon="wallet">wallet</span>"#)
  }
}
