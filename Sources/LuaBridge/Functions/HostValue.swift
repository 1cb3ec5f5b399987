import ScriptValue

/// An argument or a result of a function of the host: a value of state, or a string that is not UTF-8, which is
/// `Data` in Swift.
package enum HostValue: Sendable {
  case state(Value)
  case bytes([UInt8])

  /// Nil for a value that is neither.
  init?(_ lua: LuaValue) {
    if case .bytes(let bytes) = lua {
      self = .bytes(bytes)
    } else if let value = Value(lua) {
      self = .state(value)
    } else {
      return nil
    }
  }

  /// The value of state; nil for bytes.
  package var state: Value? {
    if case .state(let value) = self { value } else { nil }
  }

  /// The memory that it takes, in bytes.
  var size: Int {
    switch self {
    case .state(let value): value.size(upTo: .max)
    case .bytes(let bytes): bytes.count
    }
  }
}

extension LuaValue {
  package init(_ value: HostValue) {
    switch value {
    case .state(let value): self.init(value)
    case .bytes(let bytes): self = .bytes(bytes)
    }
  }
}
