import LuaBridge

// Swift functions as scripts call them.
extension DependencyRegistry {
  /// The Lua function for a function or stream, called `name` in messages.
  func bind(
    _ dependency: Dependency, as name: String, noting recorder: DependencyRecorder? = nil
  ) throws(ScriptError) -> LuaFunction {
    switch dependency.kind {
    case .function(let signature, let body):
      return try vm.makeFunction(name, signature, noting: recorder, body)
    case .asyncFunction(let signature, let body):
      return try vm.makeFunction(name, tablesAsValues: true) { [scheduler] lua in
        let arguments = try signature.arguments(lua, of: name)
        let runner = try scheduler.running()
        return try runner.wait(for: name, arguments, in: scheduler.vm, noting: recorder) {
          try await signature.call(arguments, of: name) { try await body(arguments) }
        }
      }
    case .stream(let signature, let body):
      return try vm.makeFunction(name, tablesAsValues: true) { [weak self] lua in
        guard let self else { throw ScriptError("'\(name)' is called after its host was gone") }
        let arguments = try signature.arguments(lua, of: name)
        let stream = try signature.call(arguments, of: name) { try body(arguments) }
        return .values(try iterator(over: stream, name, recorder))
      }
    case .value, .client, .made, .unimplemented, .file, .script:
      throw ScriptError("'\(name)' is no function")
    }
  }

  /// What `for` takes: the iterator, no state, no first value, and what ends the sequence when the loop is left.
  private func iterator(
    over stream: DependencyStream, _ name: String, _ recorder: DependencyRecorder?
  ) throws(ScriptError) -> [LuaValue] {
    // What `for` hands to it says nothing.
    let next = try vm.makeFunction(name) { [scheduler] _ in
      try scheduler.running().wait(for: name, in: scheduler.vm, noting: recorder, isStream: true) {
        try await stream.next()
      }
    }
    let end = try vm.makeFunction(name) { _ in
      Task { await stream.end() }
      return .values([])
    }
    return [.function(next), .nil, .nil, try makeClosing(end)]
  }

  /// A script's function that a recorder hears the calls of.
  func noting(
    _ function: LuaFunction, as name: String, by recorder: DependencyRecorder
  ) throws(ScriptError) -> LuaValue {
    var calls: [DependencyRecorder.Call?] = []
    // begin() -> number of the call, or nil, whether it was served well, what was served
    let begin = try vm.makeFunction(name) { _ in
      do throws(ScriptError) {
        if let served = try recorder.served(.dependency(name)) {
          return .values([.nil, true, served.value.map(LuaValue.init) ?? .nil])
        }
      } catch {
        return .values([.nil, false, error.value.map(LuaValue.init) ?? .string(error.message)])
      }
      let free = calls.firstIndex { $0 == nil } ?? calls.count
      if free == calls.count { calls.append(nil) }
      calls[free] = recorder.begin(name)
      return .values([.integer(Int64(free))])
    }
    // finish(number, isWell, results or error …)
    let finish = try vm.makeFunction(name) { arguments in
      guard let number = arguments.at(0).int, calls.indices.contains(number),
        let call = calls[number]
      else {
        return .values([])
      }
      calls[number] = nil
      recorder.end(call, Self.answer(arguments.dropFirst()))
      return .values([])
    }
    return try makeNoted(function, begin, finish)
  }

  /// What a script's function returned or raised; nil where it was cancelled, or raised what is no value of state.
  private static func answer(_ outcome: ArraySlice<LuaValue>) -> DependencyRead.Answer? {
    guard let isWell = outcome.first?.bool, outcome.count <= 2 else { return .opaque }
    let first = outcome.dropFirst().first ?? .nil
    var value = Value(first)
    if case .table(let table) = first { value = try? table.value(named: "result") }
    guard value != nil || first.isNil else { return isWell ? .opaque : nil }
    guard !isWell else { return .value(value) }
    return .error(value?.string ?? "error value: \(value ?? .null)", value)
  }
}

extension LuaVM {
  /// The Lua function for a function that returns at once.
  func makeFunction(
    _ name: String, _ signature: Signature, noting recorder: DependencyRecorder? = nil,
    _ body: @escaping @Sendable (_ arguments: [Value?]) throws -> Value?
  ) throws(ScriptError) -> LuaFunction {
    try makeFunction(name, tablesAsValues: true) { lua in
      let arguments = try signature.arguments(lua, of: name)
      let call = { try signature.call(arguments, of: name) { try body(arguments) } }
      let result = if let recorder { try recorder.call(name, call) } else { try call() }
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
