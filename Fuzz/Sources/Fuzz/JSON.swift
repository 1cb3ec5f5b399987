import ScriptValue

/// Reads bytes as JSON. What can be read is written and read again as the same.
struct JSON: Target {
  static let longest = 4096

  func run(_ bytes: UnsafeRawBufferPointer) throws {
    let value: Value
    do throws(JSONError) {
      value = try Value(json: bytes)
    } catch {
      guard !error.message.isEmpty, error.line >= 1, error.column >= 1 else {
        throw Surprise("a mistake without a place: \(error)")
      }
      return
    }
    for options: JSONOptions in [[], .pretty] {
      let text = value.json(options)
      let again = try Value(json: text)
      guard again == value, again.json(options) == text else {
        throw Surprise("\(value) is written as \(text), which reads as \(again)")
      }
    }
  }
}
