extension Value {
  /// The value of a key. Reading returns ``null`` if the key is missing or if this value is not an
  /// object.
  ///
  /// Setting turns null or an empty array into an object. Setting a key of any other value that is
  /// not an object is a precondition failure.
  public subscript(key: String) -> Value {
    get {
      guard case .object(let object) = self else { return .null }
      return object[key] ?? .null
    }
    set { self[at: ValuePath([.key(key)])] = newValue }
  }

  /// The element at a zero-based index. Reading returns ``null`` if the index is out of range or if
  /// this value is not an array.
  ///
  /// Setting the index after the last element appends; null and an empty object become an array
  /// first. Any other index out of range is a precondition failure, and so is an index of any other
  /// value that is not an array.
  public subscript(index: Int) -> Value {
    get {
      guard case .array(let list) = self, list.indices.contains(index) else { return .null }
      return list[index]
    }
    set { self[at: ValuePath([.index(index)])] = newValue }
  }

  /// The value at a path. Reading returns ``null`` if there is no value at the path.
  ///
  /// Setting creates the missing containers on the way. A path that cannot be set is a precondition
  /// failure; ``set(_:at:)`` throws instead.
  public subscript(at path: ValuePath) -> Value {
    get { get(path) ?? .null }
    set {
      do {
        try set(newValue, at: path)
      } catch {
        preconditionFailure(error.description)
      }
    }
  }

  /// Returns the value at a path, or nil if there is none. O(log n) for each step.
  public func get(_ path: ValuePath) -> Value? {
    var value = self
    for component in path.components {
      switch (component, value) {
      case (.key(let key), .object(let object)):
        guard let child = object[key] else { return nil }
        value = child
      case (.index(let index), .array(let list)):
        guard list.indices.contains(index) else { return nil }
        value = list[index]
      default:
        return nil
      }
    }
    return value
  }

  /// Whether there is a value at a path. A null counts as a value.
  public func exists(at path: ValuePath) -> Bool { get(path) != nil }

  /// Sets the value at a path.
  ///
  /// A missing key, a null or an empty container on the way becomes an object, or an array if the
  /// next step is an index. The index after an array's last element appends.
  /// - Throws: ``ValuePathError`` if a step leads into a scalar, if a key leads into an array, if
  ///   an index leads into an object or is out of range, or if the result would nest more than 128
  ///   deep. The value is unchanged then.
  public mutating func set(_ newValue: Value, at path: ValuePath) throws(ValuePathError) {
    guard path.components.count + newValue.depth <= maximumDepth else {
      throw ValuePathError(
        path: path.description, reason: "the value would nest more than \(maximumDepth) deep")
    }
    self = try Value.setting(self, path, 0, newValue)
  }

  private static func setting(
    _ value: Value, _ path: ValuePath, _ step: Int, _ newValue: Value
  ) throws(ValuePathError) -> Value {
    guard step < path.components.count else { return newValue }
    switch path.components[step] {
    case .key(let key):
      var object: Object
      switch value {
      case .null: object = Object()
      case .object(let there): object = there
      case .array(let list) where list.isEmpty: object = Object()
      default: throw refusal(path, step, "\(value.kind) has no keys")
      }
      object[key] = try setting(object[key] ?? .null, path, step + 1, newValue)
      return .object(object)
    case .index(let index):
      var list: List
      switch value {
      case .null: list = List()
      case .array(let there): list = there
      case .object(let object) where object.isEmpty: list = List()
      default: throw refusal(path, step, "\(value.kind) has no elements")
      }
      guard index >= 0 && index <= list.count else {
        throw refusal(path, step, "index \(index) is out of range, the array has \(list.count)")
      }
      let old = index < list.count ? list[index] : .null
      let new = try setting(old, path, step + 1, newValue)
      if index < list.count { list[index] = new } else { list.append(new) }
      return .array(list)
    }
  }

  /// Removes the key or element at a path and returns its value, or returns nil if there is none.
  /// The root cannot be removed.
  @discardableResult
  public mutating func remove(at path: ValuePath) -> Value? {
    guard let last = path.components.last, let removed = get(path) else { return nil }
    let parentPath = ValuePath(path.components.dropLast())
    guard var parent = get(parentPath) else { return nil }
    switch (last, parent) {
    case (.key(let key), .object(var object)):
      object[key] = nil
      parent = .object(object)
    case (.index(let index), .array(var list)):
      list.remove(at: index)
      parent = .array(list)
    default:
      return nil
    }
    guard (try? set(parent, at: parentPath)) != nil else { return nil }
    return removed
  }

  private static func refusal(_ path: ValuePath, _ step: Int, _ reason: String) -> ValuePathError {
    let location = ValuePath(Array(path.components[...step])).description
    return ValuePathError(path: location, reason: reason)
  }

  /// The kind of value with its article, for error messages.
  var kind: String {
    switch self {
    case .null: return "null"
    case .boolean: return "a boolean"
    case .integer, .float: return "a number"
    case .string: return "a string"
    case .array: return "an array"
    case .object: return "an object"
    }
  }
}
