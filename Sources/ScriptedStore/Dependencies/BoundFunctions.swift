import LuaBridge

// Swift functions as functions that scripts can call.
extension DependencyRegistry {
  /// The Lua function for a function or stream of the host. `path` is where `deps` has it. With a
  /// recorder, its calls are recorded.
  func bind(
    _ dependency: Dependency, at path: [String], recording recorder: DependencyRecorder? = nil
  ) throws(ScriptError) -> LuaValue {
    let name = path.joined(separator: ".")
    let writes = dependency.writes || writes(path)
    switch dependency.kind {
    case .function(let signature, let body):
      let function = try vm.makeFunction(name, signature, recording: recorder, body)
      return writes ? try writing(.function(function), as: name) : .function(function)
    case .asyncFunction(let signature, let body):
      let function = try vm.makeFunction(name, tablesAsValues: true, takesBytes: true) {
        [scheduler] _, lua in
        let arguments = try signature.arguments(lua, of: name)
        let runner = try scheduler.running()
        return try runner.wait(for: name, arguments, in: scheduler.vm, recording: recorder) {
          try await signature.call(name) { try await body(arguments) }
        }
      }
      return .function(function)
    case .stream(let signature, let body):
      let function = try vm.makeFunction(name, tablesAsValues: true, takesBytes: true) {
        [weak self] _, lua in
        guard let self else { throw ScriptError("'\(name)' is called after its host was gone") }
        let arguments = try signature.arguments(lua, of: name)
        let stream = try signature.call(name) { try body(arguments) }
        return .values(try iterator(over: stream, name, recorder))
      }
      return writes ? try writing(.function(function), as: name) : .function(function)
    case .value, .client, .made, .unimplemented, .file, .script:
      throw ScriptError("'\(name)' is no function")
    }
  }

  /// What Lua's `for` takes: the iterator, no state, no first value, and a value that ends the
  /// sequence when the loop is left.
  private func iterator(
    over stream: DependencyStream, _ name: String, _ recorder: DependencyRecorder?
  ) throws(ScriptError) -> [LuaValue] {
    // The iterator does not need the arguments that `for` passes.
    let next = try vm.makeFunction(name) { [scheduler] _ in
      try scheduler.running().wait(for: name, in: scheduler.vm, recording: recorder, isStream: true)
      {
        try await stream.next()
      }
    }
    let end = try vm.makeFunction(name) { _ in
      Task { await stream.end() }
      return .values([])
    }
    return [.function(next), .nil, .nil, try prelude.makeToBeClosed(calling: end)]
  }

  /// Wraps a function that changes something outside, so that handlers of durable stores cannot call it.
  func writing(_ function: LuaValue, as name: String) throws(ScriptError) -> LuaValue {
    let begin = try vm.makeFunction(name) { [scheduler] _ in
      do throws(ScriptError) {
        try scheduler.requireEffect(forWriting: name)
      } catch {
        return .values([.nil, false, .string(error.message)])
      }
      return .values([])
    }
    let finish = try vm.makeFunction(name) { _ in .values([]) }
    return try prelude.recording(function, begin: begin, finish: finish)
  }

  /// Wraps a script's function, so that a recorder records its calls.
  func recording(
    _ function: LuaValue, as name: String, by recorder: DependencyRecorder
  ) throws(ScriptError) -> LuaValue {
    // begin() -> the call; or nil, whether the recorded call returned, its results or error …
    let begin = try vm.makeFunction(name) { _ in
      do throws(ScriptError) {
        if let served = try recorder.served(name) {
          return .values([.nil, true] + served.map { $0.map(LuaValue.init) ?? .nil })
        }
      } catch {
        return .values([.nil, false, error.value.map(LuaValue.init) ?? .string(error.message)])
      }
      return .values([.object(BegunCall(recorder.begin(name)))])
    }
    // finish(call, whether it returned, its results or error …)
    let finish = try vm.makeFunction(name) { arguments in
      if case .object(let begun as BegunCall) = arguments.at(0) {
        recorder.end(begun.call, Self.answer(arguments.dropFirst()))
      }
      return .values([])
    }
    return try prelude.recording(function, begin: begin, finish: finish)
  }

  /// A call that has begun, as a box for scripts.
  private final class BegunCall {
    let call: DependencyRecorder.Call

    init(_ call: DependencyRecorder.Call) { self.call = call }
  }

  /// The answer to record for a script's function, whose outcome is as in `finish`. Nil if the call
  /// was cancelled or raised something that is no value of state.
  private static func answer(_ outcome: ArraySlice<LuaValue>) -> DependencyRead.Answer? {
    guard let isWell = outcome.first?.bool else { return .opaque }
    var values: [Value?] = []
    for result in outcome.dropFirst() {
      var value = Value(result)
      if case .table(let table) = result { value = try? table.value(named: "result") }
      guard value != nil || result.isNil else { return isWell ? .opaque : nil }
      values.append(value)
    }
    if isWell && values.count > 1 {
      // They are in two tables more on the line of a recording.
      return values.contains { $0.map { $0.depth > 120 } ?? false } ? .opaque : .values(values)
    }
    let value = values.first ?? nil
    guard !isWell else { return .value(value) }
    return .error(value?.string ?? "error value: \(value ?? .null)", value)
  }
}

extension LuaVM {
  /// Whether scripts can call a value of theirs.
  func canCall(_ value: LuaValue) -> Bool {
    switch value {
    case .function: true
    case .table(let table): isCallable(table)
    case .other(let reference): isCallable(reference)
    default: false
    }
  }

  /// The Lua function for a Swift function that returns at once.
  func makeFunction(
    _ name: String, _ signature: Signature, recording recorder: DependencyRecorder? = nil,
    _ body: @escaping @Sendable (_ arguments: [HostValue?]) throws -> HostValue?
  ) throws(ScriptError) -> LuaFunction {
    try makeFunction(name, tablesAsValues: true, takesBytes: true) { _, lua in
      let arguments = try signature.arguments(lua, of: name)
      let call = { try signature.call(name) { try body(arguments) } }
      let result = if let recorder { try recorder.call(name, call) } else { try call() }
      return .values([result.map { LuaValue($0) } ?? .nil])
    }
  }
}
