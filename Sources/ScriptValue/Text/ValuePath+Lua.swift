/// Paths as text whose indices count from 1, as in Lua: `todos[1].title` is in the first element.
/// Scripts, messages and printed differences have such paths.
extension ValuePath {
  /// Parses a path whose indices count from 1.
  package init(lua text: String) throws(ValuePathError) {
    try self.init(text)
    for (number, component) in components.enumerated() {
      guard case .index(let index) = component else { continue }
      guard index > 0 else {
        throw ValuePathError(path: text, reason: "indices count from 1, as in Lua")
      }
      components[number] = .index(index - 1)
    }
  }

  /// The text of the path, which ``init(lua:)`` parses as the same path.
  package var luaDescription: String {
    ValuePath(
      components.map { component in
        if case .index(let index) = component { .index(index &+ 1) } else { component }
      }
    ).description
  }
}

extension ValuePath.Component {
  /// The name of a member in its container: `title`, `[1]`.
  package var label: String {
    switch self {
    case .key(let key): key
    case .index(let index): "[\(index &+ 1)]"
    }
  }
}

extension Value {
  /// The number of elements or keys; 0 if the value is no container. O(1).
  package var memberCount: Int {
    switch self {
    case .array(let list): list.count
    case .object(let object): object.count
    default: 0
    }
  }

  /// The first elements or keys with their values, at most so many.
  package func members(
    _ most: Int = .max
  ) -> [(component: ValuePath.Component, value: Value)] {
    switch self {
    case .array(let list): list.prefix(most).enumerated().map { (.index($0), $1) }
    case .object(let object): object.prefix(most).map { (.key($0.key), $0.value) }
    default: []
    }
  }
}
