/// The nested types that are known below a type. They form a group of the feature's own.
struct KnownTypes {
  /// Whether all nested types are known.
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
