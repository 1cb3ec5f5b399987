import ScriptValue

/// What a call of a typed function needs besides its body: how its arguments are taken, and the
/// messages about them.
struct TypedFunction: Sendable {
  private let name: String
  private let signature: Signature
  /// Whether the arguments can be read directly from the tape: all parameters are scalars, and none
  /// has a name.
  private let isDirect: Bool
  private let parameters: Int

  init<each A>(_ name: String, _ parameters: [String], _ types: repeat (each A).Type) {
    self.name = name
    signature = Signature(parameters, repeat each types)
    isDirect = signature.parameters.allSatisfy { !$0.takesTables } && parameters.isEmpty
    self.parameters = signature.parameters.count
  }

  /// Begins a call whose arguments are then read with ``HostCall/argument(_:)``.
  @inline(__always)
  func begin(_ call: inout HostCall) throws(ScriptError) {
    if isDirect && call.count <= parameters { return }
    try call.arrange { (values) throws(ScriptError) in try arranged(values) }
  }

  /// The arguments in the order of the parameters, one for each.
  private func arranged(_ values: [LuaValue]) throws(ScriptError) -> [LuaValue] {
    // Only a function whose parameters have names can be called with a table of them.
    if values.count == 1, case .table(let table) = values[0], signature.hasNames,
      let named = try? table.value(named: name),
      let arguments = try signature.named([.state(named)], of: name)
    {
      return arguments.map { $0.map { LuaValue($0) } ?? .nil }
    }
    let given = values.lastIndex { !$0.isNil }.map { $0 + 1 } ?? 0
    try signature.checkCount(given, of: name)
    return (0..<parameters).map { $0 < given ? values[$0] : .nil }
  }

  /// The error that a call throws, in Lua's words if it is about an argument or the result.
  func described(_ error: any Error) -> any Error { signature.described(error, of: name) }
}
