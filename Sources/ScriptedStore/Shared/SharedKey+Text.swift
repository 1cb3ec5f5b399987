import LuaBridge

/// Keys as scripts write them, without `scripted.shared` in front: `inMemory "count"`,
/// `fileStorage "settings.json":at("theme"):reader()`.
extension SharedKey: CustomStringConvertible {
  var description: String {
    if kind == .status { return SharedKey.text(ofIdentity: identity) }
    return "\(kind.rawValue) \(Value.string(name))"
      + SharedKey.text(part: part, isReadOnly: isReadOnly)
  }

  /// The key of the value with this identity. A status is that of its value: `appStorage "seen":status()`.
  static func text(ofIdentity identity: String) -> String {
    guard let colon = identity.firstIndex(of: ":") else { return identity }
    let kind = String(identity[..<colon])
    var name = String(identity[identity.index(after: colon)...])
    if kind == Kind.status.rawValue { return "\(text(ofIdentity: name)):status()" }
    // The number of the store that has the value to itself.
    if kind == Kind.inherited.rawValue, let number = name.lastIndex(of: "#") {
      name = String(name[..<number])
    }
    return "\(kind) \(Value.string(name))"
  }

  /// What follows a key that means a part of a value, or that may not write: `:at("theme"):reader()`.
  static func text(part: [Value], isReadOnly: Bool) -> String {
    let keys = part.compactMap(\.string)
    let isDotted = keys.count == part.count && !keys.contains { $0.isEmpty || $0.contains(".") }
    let list = part.map(\.description).joined(separator: ", ")
    let at =
      isDotted ? ":at(\(Value.string(keys.joined(separator: "."))))" : ":at { \(list) }"
    return (part.isEmpty ? "" : at) + (isReadOnly ? ":reader()" : "")
  }
}
