import LuaBridge

/// A pattern of a feature's `on`, or an entry of its `actions`. The children must know the types that a
/// pattern names; a value that no reducer runs on learns them from it.
struct KnownPattern {
  /// The segments that a domain must know. Its child gets those behind the child's type. None stand for
  /// all actions of the domain.
  var rest: ArraySlice<ActionPath.Segment>
  let text: String
  let feature: String
  /// The source line of the handler; nil for what children need not know: an entry of `actions`, and
  /// ``everything``.
  let handler: (script: String, line: Int)?

  /// What a reducer handles that takes all actions, as `reduce` does.
  static let everything = KnownPattern(rest: [], text: "", feature: "", handler: nil)

  /// - Parameters:
  ///   - domain: the name of the child that does not know the segment.
  ///   - known: what it knows in its place.
  func failure(at name: String, in domain: String, known: [String]) -> ScriptError {
    let message =
      "the pattern \"\(text)\" of \(feature) names \"\(name)\", which no reducer there handles"
    let names = known.sorted()
    let remedy =
      if let nearest = Suggestion.nearest(to: name, in: names) {
        "; did you mean \"\(nearest)\"?"
      } else if names.isEmpty {
        "; \(domain) has no actions"
      } else {
        "; \(domain) has \(names.prefix(8).joined(separator: ", "))\(names.count > 8 ? ", …" : ""). "
          + "An action that only a parent handles is listed in the child's `actions`"
      }
    return ScriptError(message + remedy, script: handler?.script, line: handler?.line)
  }
}
