@testable import ScriptValue

extension ObjectTree {
  /// Sets the value of a key, which is borrowed (+0), or appends the key. Consumes `owned` (+1).
  mutating func set(key: NodeAddress, _ owned: Slot) {
    if let position = position(of: StringNode.bytes(of: key)) {
      set(position, owned)
    } else {
      append(key: key, owned)
    }
  }
}
