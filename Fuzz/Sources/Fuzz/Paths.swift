import ScriptValue
import ScriptedStore

/// Reads bytes as the path of an action, and as a path into a state. An action's own path leads to the action again.
struct Paths: Target {
  static let longest = 200

  func run(_ bytes: UnsafeRawBufferPointer) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    if let action = try? Action(path: text) {
      let again = try Action(path: action.path)
      guard again == action else {
        throw Surprise("\(text) is \(action.value), whose path \(action.path) is \(again.value)")
      }
    }
    if let path = try? ValuePath(text) {
      let again = try ValuePath("\(path)")
      guard again == path else { throw Surprise("\(text) is \(path), which is \(again)") }
      let value: Value = ["a": [1, ["b": "c"]], "": [:]]
      _ = value[at: path]
    }
  }
}
