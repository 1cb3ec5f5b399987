import ScriptValue

/// What a call of a typed function needs besides its body: how arguments are read, and the messages
/// about them.
struct TypedFunction: Sendable {
  let name: String
  let signature: Signature
  /// Whether all parameters are scalars. Such arguments are read directly from the tape.
  private let isScalar: Bool
  private let parameters: Int

  init<each A>(_ name: String, _ parameters: [String], _ types: repeat (each A).Type) {
    self.name = name
    signature = Signature(parameters, repeat each types)
    isScalar = signature.parameters.allSatisfy { !$0.takesTables } && parameters.isEmpty
    self.parameters = signature.parameters.count
  }

  /// Reads the arguments of a call.
  @inline(__always)
  func arguments<each A: Decodable>(
    of call: inout HostCall, _ types: repeat (each A).Type
  ) throws -> (repeat each A) {
    do {
      if isScalar && call.count <= parameters {
        return try scalars(of: &call, repeat each types)
      }
      let values = try arranged(try call.values())
      call.releaseDeferred()
      var position = -1
      func next<T: Decodable>(_ type: T.Type) throws -> T {
        position += 1
        return try LuaConversion.argument(values[position], as: type, at: position, named: name)
      }
      return (repeat try next(each types))
    } catch let error as ArgumentError {
      throw signature.describe(error, of: name)
    }
  }

  /// Reads the arguments of a function whose parameters are all scalars.
  @inline(__always)
  private func scalars<each A: Decodable>(
    of call: inout HostCall, _ types: repeat (each A).Type
  ) throws -> (repeat each A) {
    var position = -1
    func next<T: Decodable>(_ type: T.Type) throws -> T {
      position += 1
      return try call.scalar(type, at: position)
    }
    do {
      return (repeat try next(each types))
    } catch {
      call.releaseRest()
      throw error
    }
  }

  /// The arguments in the order of the parameters, one for each.
  private func arranged(_ values: [LuaValue]) throws(ScriptError) -> [LuaValue] {
    // Only a function whose parameters have names can be called with a table of them.
    if values.count == 1, case .table(let table) = values[0], signature.hasNames,
      let named = try? table.value(named: name),
      let arguments = try signature.named([named], of: name)
    {
      return arguments.map { $0.map(LuaValue.init) ?? .nil }
    }
    let given = values.lastIndex { !$0.isNil }.map { $0 + 1 } ?? 0
    try signature.checkCount(given, of: name)
    return (0..<parameters).map { $0 < given ? values[$0] : .nil }
  }

  /// Writes the result of a call.
  @inline(__always)
  func finish<R: Encodable>(_ call: HostCall, _ result: R) throws -> Int32 {
    call.releaseDeferred()
    do {
      return try call.finish(result)
    } catch let error as EncodingError {
      throw signature.described(error, of: name)
    }
  }

  /// Ends a call without a result.
  func finish(_ call: HostCall) -> Int32 {
    call.releaseDeferred()
    return call.finish([])
  }
}
