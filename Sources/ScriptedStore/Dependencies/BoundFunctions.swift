import LuaBridge

// Swift functions as scripts call them.
extension DependencyRegistry {
  /// The Lua function for a function or stream, called `name` in messages.
  func bind(_ dependency: Dependency, as name: String) throws(ScriptError) -> LuaFunction {
    switch dependency.kind {
    case .function(let signature, let body):
      return try vm.makeFunction(name, signature, body)
    case .asyncFunction(let signature, let body):
      return try vm.makeFunction(name, tablesAsValues: true) { [scheduler] lua in
        let arguments = try signature.arguments(lua, of: name)
        return try scheduler.running().wait(for: name, in: scheduler.vm) {
          try await signature.call(arguments, of: name) { try await body(arguments) }
        }
      }
    case .stream(let signature, let body):
      return try vm.makeFunction(name, tablesAsValues: true) { [weak self] lua in
        guard let self else { throw ScriptError("'\(name)' is called after its host was gone") }
        let arguments = try signature.arguments(lua, of: name)
        let stream = try signature.call(arguments, of: name) { try body(arguments) }
        return .values(try iterator(over: stream, name))
      }
    case .value, .client, .made, .unimplemented, .file, .script:
      throw ScriptError("'\(name)' is no function")
    }
  }

  /// What `for` takes: the iterator, no state, no first value, and what ends the sequence when the loop is left.
  private func iterator(
    over stream: DependencyStream, _ name: String
  ) throws(ScriptError) -> [LuaValue] {
    // What `for` hands to it says nothing.
    let next = try vm.makeFunction(name) { [scheduler] _ in
      try scheduler.running().wait(for: name, in: scheduler.vm) { try await stream.next() }
    }
    let end = try vm.makeFunction(name) { _ in
      Task { await stream.end() }
      return .values([])
    }
    return [.function(next), .nil, .nil, try makeClosing(end)]
  }
}

extension LuaVM {
  /// The Lua function for a function that returns at once.
  func makeFunction(
    _ name: String, _ signature: Signature,
    _ body: @escaping @Sendable (_ arguments: [Value?]) throws -> Value?
  ) throws(ScriptError) -> LuaFunction {
    try makeFunction(name, tablesAsValues: true) { lua in
      let arguments = try signature.arguments(lua, of: name)
      let result = try signature.call(arguments, of: name) { try body(arguments) }
      return .values([result.map(LuaValue.init) ?? .nil])
    }
  }
}

extension Signature {
  /// What a script gave, in the order of the parameters.
  fileprivate func arguments(
    _ lua: [LuaValue], of function: String
  ) throws(ScriptError) -> [Value?] {
    var values: [Value?] = []
    for (position, argument) in lua.enumerated() {
      if let value = Value(argument) {
        values.append(value)
      } else if argument.isNil {
        values.append(nil)
      } else {
        throw refusal(of: argument, at: position, function)
      }
    }
    return try arrange(values, of: function)
  }

  /// The result of a body, or the error about an argument in the words of Lua.
  /// What a function of the host returned cannot go to a script.
  private static func badResult(
    _ value: Any, _ context: EncodingError.Context, of function: String
  ) -> ScriptError {
    ScriptError("bad result of '\(function)' (\(value)): \(context.debugDescription)")
  }

  fileprivate func call<R>(
    _ arguments: [Value?], of function: String, _ body: () throws -> R
  ) throws -> R {
    do {
      return try body()
    } catch let error as ArgumentError {
      throw describe(error, arguments, of: function)
    } catch EncodingError.invalidValue(let value, let context) {
      throw Signature.badResult(value, context, of: function)
    }
  }

  fileprivate func call<R>(
    _ arguments: [Value?], of function: String, _ body: () async throws -> R
  ) async throws -> R {
    do {
      return try await body()
    } catch let error as ArgumentError {
      throw describe(error, arguments, of: function)
    } catch EncodingError.invalidValue(let value, let context) {
      throw Signature.badResult(value, context, of: function)
    }
  }
}
