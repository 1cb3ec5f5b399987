import LuaBridge

/// A pattern of a feature's `on` that reaches into children, which must know what it names.
struct KnownPattern {
  /// What the domain that is asked must know.
  var rest: ArraySlice<ActionPath.Segment>
  let text: String
  let feature: String
  /// Of the handler.
  let script: String
  let line: Int

  func failure(at name: String, nearest: String?) -> ScriptError {
    let remedy = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
    return ScriptError(
      "the pattern \"\(text)\" of \(feature) names \"\(name)\", which no reducer there handles"
        + remedy, script: script, line: line)
  }
}

/// What is known below a type that is a group of the feature's own.
struct KnownTypes {
  /// Anything below it is.
  var isWhole: Bool
  var below: [String: KnownTypes] = [:]

  mutating func add(_ path: ArraySlice<String>) {
    guard let first = path.first else {
      isWhole = true
      return
    }
    below[first, default: KnownTypes(isWhole: false)].add(path.dropFirst())
  }
}
