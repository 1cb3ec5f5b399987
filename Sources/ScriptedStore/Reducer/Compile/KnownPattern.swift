import LuaBridge

/// A pattern of a feature's `on` that reaches into children. The children must know the types that
/// it names.
struct KnownPattern {
  /// The segments that a domain must know. Its child gets those behind the child's type.
  var rest: ArraySlice<ActionPath.Segment>
  let text: String
  let feature: String
  /// The source line of the handler.
  let script: String
  let line: Int

  func failure(at name: String, nearest: String?) -> ScriptError {
    let remedy = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
    return ScriptError(
      "the pattern \"\(text)\" of \(feature) names \"\(name)\", which no reducer there handles"
        + remedy, script: script, line: line)
  }
}
