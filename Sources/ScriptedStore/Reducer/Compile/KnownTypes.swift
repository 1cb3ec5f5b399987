import ScriptValue

/// The nested types that are known below a type. They form a group of the feature's own.
struct KnownTypes {
  /// Whether all nested types are known.
  var isWhole: Bool
  var below = [TextKey: KnownTypes]()

  /// A segment of a path that is not known, and what is known in its place.
  struct Unknown {
    let name: String
    let known: [String]

    var nearest: String? { Suggestion.nearest(to: name, in: known) }
  }

  /// The first segment of a path that is not known; nil if all segments are known.
  func unknown(_ path: ArraySlice<ActionPath.Segment>) -> Unknown? {
    var level = self
    for segment in path {
      if level.isWhole { return nil }
      guard let next = level.below[TextKey(segment.name)] else {
        return Unknown(name: segment.name, known: level.below.keys.map(\.text))
      }
      level = next
    }
    return nil
  }

  mutating func add(_ path: ArraySlice<String>) {
    guard let first = path.first else {
      isWhole = true
      return
    }
    below[TextKey(first), default: KnownTypes(isWhole: false)].add(path.dropFirst())
  }
}
