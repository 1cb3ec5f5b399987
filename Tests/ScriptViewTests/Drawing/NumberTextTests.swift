import ScriptValue
import Testing

@testable import ScriptView

/// Numbers and dates are drawn the same everywhere.
struct NumberTextTests {
  private func number(_ value: Value, _ properties: Value.Object = [:]) -> String? {
    NumberText.text(of: ViewNode(node("number", properties.merging(["value": value]))))
  }

  @Test func aNumberIsGrouped1And10AreDrawnAlike() {
    #expect(number(0) == "0")
    #expect(number(1) == number(1.0))
    #expect(number(1234) == "1,234")
    #expect(number(-1234567.25) == "-1,234,567.25")
    #expect(number(1e300) == "1e+300")
    #expect(number(.integer(.min)) == "-9,223,372,036,854,775,808")
    #expect(number("12") == nil)
  }

  @Test func decimalPlacesAreRoundedAndFilled() {
    #expect(number(2.675, ["digits": 1]) == "2.7")
    #expect(number(2.5, ["digits": 0]) == "3")
    #expect(number(3, ["digits": 2]) == "3.00")
    #expect(number(0.05, ["digits": 3]) == "0.050")
    #expect(number(-0.001, ["digits": 2]) == "0.00")
    #expect(number(1e20, ["digits": 2]) == "1e+20")
    #expect(number(1, ["digits": 1e9]) == "1.000000000000000")
    #expect(number(1, ["digits": -3]) == "1")
  }

  @Test func stylesHaveTheirUnits() {
    #expect(number(0.256, ["style": "percent"]) == "26 %")
    #expect(number(1234.5, ["style": "currency", "currency": "EUR"]) == "1,234.50 EUR")
    #expect(number(2, ["style": "currency"]) == "2.00")
    #expect(number(999, ["style": "bytes"]) == "999 B")
    #expect(number(1_234_567, ["style": "bytes"]) == "1.2 MB")
    #expect(number(999_949, ["style": "bytes"]) == "999.9 kB")
    #expect(number(999_950, ["style": "bytes"]) == "1.0 MB")
    #expect(number(999_950, ["style": "bytes", "digits": 2]) == "999.95 kB")
    #expect(number(999.7, ["style": "bytes"]) == "1.0 kB")
  }

  @Test func aDateIsDrawnAsThePartOfItsTextThatTheStyleAsksFor() {
    func date(_ value: Value, _ style: Value) -> String? {
      DateText.text(of: ViewNode(node("date", ["value": value, "style": style])))
    }
    let noon: Value = "2024-05-01T12:00:00Z"
    #expect(date(noon, "date") == "2024-05-01")
    #expect(date(noon, "time") == "12:00")
    #expect(date(noon, "relative") == "2024-05-01 12:00")
    #expect(date("2024-05-01", "time") == "2024-05-01")
    #expect(date("soon", "date") == "soon")
    #expect(date(3, "date") == nil)
  }
}

extension Value.Object {
  fileprivate func merging(_ other: Value.Object) -> Value.Object {
    var object = self
    for (key, value) in other { object[key] = value }
    return object
  }
}
