import ScriptValue

/// Parts of a shared value, by the keys of objects and the ids of elements.
extension Value {
  /// The part at a path of keys and ids; nil if there is none.
  func part(at path: ArraySlice<Value>) -> Value? {
    guard let step = path.first else { return self }
    return child(step)?.part(at: path.dropFirst())
  }

  private func child(_ step: Value) -> Value? {
    if let list = array { return list.first { $0.object?["id"] == step } }
    return object?[step.string ?? "\(step)"]
  }

  /// Replaces the part at a path of keys and ids; nil removes it. Does nothing if there is no container
  /// for it.
  mutating func set(_ value: Value?, at path: ArraySlice<Value>) {
    guard let step = path.first else {
      self = value ?? .null
      return
    }
    if var list = array, !list.isEmpty {
      guard let index = list.firstIndex(where: { $0.object?["id"] == step }) else { return }
      if path.count > 1 {
        list[index].set(value, at: path.dropFirst())
      } else if let value {
        list[index] = value
      } else {
        list.remove(at: index)
      }
      self = .array(list)
      return
    }
    guard var object = object ?? (self == [:] ? Object() : nil) else { return }
    let key = step.string ?? "\(step)"
    if path.count == 1 {
      object[key] = value
    } else if var below = object[key] {
      below.set(value, at: path.dropFirst())
      object[key] = below
    }
    self = .object(object)
  }
}
