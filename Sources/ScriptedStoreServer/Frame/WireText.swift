import ScriptView

/// JSON text that is being written.
struct WireText {
  private(set) var bytes: [UInt8] = []

  mutating func append(json text: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(json other: [UInt8]) { bytes.append(contentsOf: other) }

  mutating func append(_ number: Int) { bytes.append(contentsOf: String(number).utf8) }

  /// Puts a comma between two things of a list or object.
  mutating func separate() {
    switch bytes.last {
    case UInt8(ascii: "["), UInt8(ascii: "{"), nil: break
    default: bytes.append(UInt8(ascii: ","))
    }
  }

  mutating func append(key: String) {
    separate()
    append(string: key)
    bytes.append(UInt8(ascii: ":"))
  }

  mutating func append(string: String) { Value.string(string).appendJSON(to: &bytes) }

  /// Appends a value, with numbers that JavaScript has.
  mutating func append(_ value: Value) {
    switch value {
    case .array(let list):
      append(json: "[")
      for element in list {
        separate()
        append(element)
      }
      append(json: "]")
    case .object(let object):
      append(json: "{")
      for (key, value) in object {
        append(key: key)
        append(value)
      }
      append(json: "}")
    case .integer, .float:
      // Written without the NUL, which tells ids from other texts.
      let number = WireID.value(of: value)
      if case .string(let text) = number {
        append(string: String(text.dropFirst()))
      } else {
        append(scalar: number)
      }
    default: append(scalar: value)
    }
  }

  /// Appends the id of a row.
  mutating func append(id: Value) { append(scalar: WireID.value(of: id)) }

  private mutating func append(scalar: Value) { scalar.appendJSON(to: &bytes) }

  mutating func append(_ step: ViewPath.Step) {
    switch step {
    case .child(let position): append(position)
    case .presentation(let name): append(string: name)
    case .row(let row): append(row)
    }
  }

  mutating func append(_ row: ViewPath.Row) {
    append(json: "[")
    append(id: row.id)
    if row.occurrence != 1 {
      append(json: ",")
      append(row.occurrence)
    }
    append(json: "]")
  }
}
