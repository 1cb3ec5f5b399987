import ScriptValue
import ScriptView
import Testing

/// The values that controls take.
struct EnteredValueTests {
  /// What a control sends; nil if it refuses the value.
  private func entered(_ value: Value, _ kind: String, _ properties: Value.Object = [:]) throws
    -> Value?
  {
    var properties = properties
    properties["bind"] = "x"
    do throws(ViewRefusal) {
      guard
        case .send(let action, _) = try ViewScreen(node(kind, properties)).perform(.enter(value))
      else { return nil }
      return action["value"]
    } catch {
      #expect(error.reason == .value)
      return nil
    }
  }

  @Test func fieldsTakeTextsOneLineHasNoLineBreaks() throws {
    #expect(try entered("a\nb\r\nc", "textField") == "abc")
    #expect(try entered("a\nb", "textEditor") == "a\nb")
    #expect(try entered(5, "textField") == "5")
    for value in [true, .null, [1]] as [Value] { #expect(try entered(value, "secureField") == nil) }
  }

  @Test func aToggleTakesTrueAndFalse() throws {
    #expect(try entered(true, "toggle") == true)
    for value in [1, "true", .null] as [Value] { #expect(try entered(value, "toggle") == nil) }
  }

  @Test func aPickerTakesOneOfItsOptionsByItsValueOrItsLabel() throws {
    let options: Value.Object = [
      "options": ["all", 2, ["value": .null, "label": "None"], ["x": 1]]
    ]
    #expect(try entered("all", "picker", options) == "all")
    #expect(try entered(2.0, "picker", options)?.json() == "2")
    #expect(try entered("2", "picker", options) == 2)
    #expect(try entered("None", "picker", options) == .null)
    #expect(try entered("none", "picker", options) == nil)
    #expect(try entered("a", "picker") == nil)
  }

  @Test func numbersAreBroughtIntoTheRangeAndToTheSteps() throws {
    let range: Value.Object = ["min": 0, "max": 10, "step": 3]
    #expect(try entered(4, "slider", range)?.json() == "3")
    #expect(try entered(99, "slider", range)?.json() == "9")
    #expect(try entered(-5, "stepper", range)?.json() == "0")
    #expect(try entered(0.25, "slider") == 0.25)
    #expect(try entered(7, "slider") == 1)
    #expect(try entered(2.4, "stepper") == 2)
    #expect(try entered(7, "stepper", ["value": 2, "step": 2]) == 8)
    #expect(try entered(5, "stepper", ["min": 10, "max": 1]) == 10)
    #expect(try entered(1e300, "stepper", ["step": 1e-300]) == 1e300)
    #expect(try entered("4", "slider", range) == nil)
  }

  @Test func stepsThatAreNoWholeNumbersLeadToTheNumbersThatPeopleWrite() throws {
    for (dividend, divisor) in [(1, 10), (1, 20), (1, 100), (1, 8), (3, 10), (5, 2)] {
      let step = Double(dividend) / Double(divisor)
      for count in 0...200 {
        let number = Double(count * dividend) / Double(divisor)
        for least in [0, -number, nil] {
          var range: Value.Object = ["step": .float(step), "max": .float(number)]
          if let least { range["min"] = .float(least) }
          #expect(try entered(.float(number), "stepper", range) == .float(number))
          #expect(try entered(1e9, "slider", range) == .float(number))
        }
      }
    }
    let tenths: Value.Object = ["min": -1, "max": 0.75, "step": 0.1]
    #expect(try entered(0.31, "slider", tenths) == 0.3)
    #expect(try entered(.float(0.1 + 0.2), "slider", tenths) == 0.3)
    #expect(try entered(1, "slider", tenths) == 0.7)
    #expect(try entered(0.04, "slider", tenths)?.json() == "0")
    let thirds: Value.Object = ["max": .float(7.0 / 3), "step": .float(1.0 / 3)]
    #expect(try entered(.float(2.0 / 3), "stepper", thirds) == .float(2.0 / 3))
    #expect(try entered(9, "stepper", thirds) == .float(7.0 / 3))
  }

  @Test func aNumberThatWasEnteredIsEnteredAgainAsItIs() throws {
    let numbers = [
      0, 1, -60.108246, 38.27, 0.1 + 0.2, 1.0 / 3, -9.7e12, 605190.7882165589, 0x1p53, 1e16, 1e300,
      -1e300, .leastNonzeroMagnitude, 1e-300, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    ]
    for step in numbers where step >= 0 {
      for bound in numbers {
        for number in numbers {
          for name in ["min", "max", "value"] {
            let range: Value.Object = ["step": .float(step), name: .float(bound)]
            let first = try #require(try entered(.float(number), "stepper", range))
            #expect(first.double?.isFinite == true)
            #expect(try entered(first, "stepper", range) == first, "\(range), \(number)")
          }
        }
      }
    }
  }

  @Test func nullIsTakenByThoseThatCanBeClearedAndByNoOther() throws {
    for element in ViewElement.all where element.group == .enter {
      let isTaken = try entered(.null, element.kind) != nil
      #expect(isTaken == element.isClearable, "\(element.kind)")
    }
  }

  @Test func aDateIsATextInISO8601OfThePickersStyleWithinItsBounds() throws {
    #expect(try entered("2024-02-29", "datePicker") == "2024-02-29")
    #expect(try entered(.null, "datePicker") == .null)
    for text in ["2023-02-29", "2024-13-01", "2024-1-1", "24-01-01", "2024-01-01T10:00", "x", ""] {
      #expect(try entered(.string(text), "datePicker") == nil, "\(text)")
    }
    #expect(try entered("18:30", "datePicker", ["style": "time"]) == "18:30")
    #expect(try entered("18:30:05.5", "datePicker", ["style": "time"]) == "18:30:05.5")
    #expect(try entered("25:00", "datePicker", ["style": "time"]) == nil)
    for text in ["2024-01-01T10:00", "2024-01-01 10:00:00Z", "2024-01-01T10:00+01:00"] {
      #expect(try entered(.string(text), "datePicker", ["style": "dateTime"]) != nil, "\(text)")
    }
    let bounds: Value.Object = ["min": "2024-01-01", "max": "2024-12-31"]
    #expect(try entered("2023-12-31", "datePicker", bounds) == nil)
    #expect(try entered("2024-06-01", "datePicker", bounds) == "2024-06-01")
  }

  @Test func aDateIsComparedWithItsBoundsAsAMomentAndNotAsAText() throws {
    let time: Value.Object = ["style": "time", "min": "09:00:00", "max": "18:30"]
    for text in ["09:00", "18:30:00", "18:30:00.0"] {
      #expect(try entered(.string(text), "datePicker", time) != nil, "\(text)")
    }
    for text in ["08:59:59.9", "18:30:00.5", "18:30:01"] {
      #expect(try entered(.string(text), "datePicker", time) == nil, "\(text)")
    }
    let dateTime: Value.Object = [
      "style": "dateTime", "min": "2024-05-01T10:00", "max": "2024-05-02",
    ]
    for text in ["2024-05-01 18:30", "2024-05-01T10:00:00", "2024-05-01T10:00Z"] {
      #expect(try entered(.string(text), "datePicker", dateTime) != nil, "\(text)")
    }
    for text in ["2024-05-01 09:59", "2024-05-02T00:01"] {
      #expect(try entered(.string(text), "datePicker", dateTime) == nil, "\(text)")
    }
    let zones: Value.Object = [
      "style": "dateTime", "min": "2024-03-01T00:15Z", "max": "2024-12-31T23:00-02:00",
    ]
    for text in ["2024-02-29T23:30-01:00", "2024-03-01T01:15+01:00", "2025-01-01T01:00Z"] {
      #expect(try entered(.string(text), "datePicker", zones) != nil, "\(text)")
    }
    for text in ["2024-03-01T01:00+01:00", "2025-01-01T01:01Z", "2024-12-31T23:30-02:00"] {
      #expect(try entered(.string(text), "datePicker", zones) == nil, "\(text)")
    }
  }

  @Test func aFileIsOneOfTheKindsThatTheElementTakesAndNotTooLarge() throws {
    let cat: Value = ["name": "cat.PNG", "type": "image/png", "size": 300, "path": "uploads/1.png"]
    #expect(try entered(cat, "file") == cat)
    #expect(try entered(.null, "file") == .null)
    #expect(
      try entered(["name": "a.txt"], "file")
        == ["name": "a.txt", "type": "", "size": 0, "path": "a.txt"])
    for kinds in [".png", "image/*", "image/png", ["text/plain", "IMAGE/*"]] as [Value] {
      #expect(try entered(cat, "file", ["accept": kinds]) == cat, "\(kinds)")
    }
    for kinds in [".jpg", "text/*", "image/gif", ["text/plain"]] as [Value] {
      #expect(try entered(cat, "file", ["accept": kinds]) == nil, "\(kinds)")
    }
    #expect(try entered(["name": "a.JPG"], "file", ["accept": "image/*"]) != nil)
    #expect(try entered(["name": "a.txt"], "file", ["accept": "image/*"]) == nil)
    #expect(try entered(cat, "file", ["maxBytes": 300]) == cat)
    #expect(try entered(cat, "file", ["maxBytes": 299]) == nil)
    for value in ["uploads/1.png", 5, [:], ["size": 3], ["name": "a", "size": -1]] as [Value] {
      #expect(try entered(value, "file") == nil, "\(value)")
    }
  }

  @Test func aFileThatIsTooLargeOrOfAnotherKindIsRefusedWithWhatIsTaken() {
    func message(_ file: Value, _ properties: Value.Object) -> String? {
      var all = properties
      (all["label"], all["bind"]) = ("Picture", "x")
      return #expect(throws: ViewRefusal.self) {
        try ViewScreen(node("file", all)).perform(.enter(file))
      }?.message
    }
    #expect(
      message(["name": "a.png", "size": 2_500_000], ["maxBytes": 1_000_000])
        == "the file 'Picture' takes files of at most 1.0 MB, and 'a.png' has 2.5 MB")
    #expect(
      message(["name": "a.exe"], ["accept": [".png", "image/*"]])
        == "the file 'Picture' takes .png, image/*, not 'a.exe'")
    #expect(
      message("a.png", [:])
        == "the file 'Picture' takes a file, { name, type, size, path }, or null for none, not \"a.png\""
    )
  }

  @Test func aRefusedValueIsInTheMessageCut() {
    let long = Value.string(String(repeating: "x", count: 100_000))
    let error = #expect(throws: ViewRefusal.self) {
      try ViewScreen(node("toggle", ["label": "On", "bind": "x"])).perform(.enter(long))
    }
    #expect(error?.message.hasPrefix(#"the toggle 'On' takes true or false, not "xxx"#) == true)
    #expect((error?.message.count ?? 0) < 150)
  }
}
