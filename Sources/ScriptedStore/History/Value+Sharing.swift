import ScriptValue

extension Value {
  /// This action's table, with the parts that equal parts of `other` replaced by them to share
  /// memory. Only actions of the same type are compared: consecutive actions are often alike.
  func sharing(with other: Value) -> Value {
    guard var object, let known = other.object, let type = known["type"], object["type"] == type
    else { return self }
    if isIndistinguishable(from: other) { return other }
    object["type"] = type
    if let nested = object["action"], let known = known["action"],
      nested.isIndistinguishable(from: known)
    {
      object["action"] = known
    }
    return .object(object)
  }

  /// Whether two values are indistinguishable: 1 differs from 1.0, and objects with another key
  /// order differ. Always false for arrays, for strings of 64 bytes or more and for objects with
  /// more than 8 keys or none, so that the comparison is cheap.
  private func isIndistinguishable(from other: Value) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
    case (.string(let a), .string(let b)): a.utf8.count < 64 && a.utf8.elementsEqual(b.utf8)
    case (.object(let a), .object(let b)):
      a.count == b.count && 1...8 ~= a.count
        && zip(a, b).allSatisfy {
          $0.key.utf8.elementsEqual($1.key.utf8) && $0.value.isIndistinguishable(from: $1.value)
        }
    default: false
    }
  }
}
