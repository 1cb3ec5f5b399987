import CLua

/// What a host function wants done with the values that it gives back.
public enum HostResult {
  case values([LuaValue])
  /// Suspends the coroutine that called; `resume` returns these values to the host.
  case yield([LuaValue])
}

/// A Swift function that scripts can call. It may throw: the script sees an error with the position
/// of the call.
public typealias HostBody = ([LuaValue]) throws -> HostResult

/// A host function as Lua holds it.
final class HostFunction {
  let body: HostBody

  init(_ body: @escaping HostBody) { self.body = body }
}

extension LuaVM {
  /// Runs a host function for the C trampoline; what it returns is on `results`. Never raises, never
  /// yields: the trampoline does, once this frame is gone.
  func call(_ function: HostFunction, tape: UnsafePointer<sl_value>?, arguments: Int) -> Int32 {
    hostCalls += 1
    let before = lent
    defer {
      hostCalls -= 1
      sl_take_back(core, before)
    }
    var reader = TapeReader(vm: self, items: tape)
    var values: [LuaValue] = []
    values.reserveCapacity(arguments)
    do {
      for _ in 0..<arguments { values.append(try reader.next()) }
      // A script that calls in a loop would pile them up.
      settle()
      releaseForgotten()
      switch try function.body(values) {
      case .values(let results):
        if let problem = handOver(results) { return refuse(problem) }
        return Int32(results.count)
      case .yield(let results):
        if let problem = handOver(results) { return refuse(problem) }
        core.pointee.yielded = Int32(results.count)
        return SL_YIELD
      }
    } catch {
      return raise(error)
    }
  }

  private func refuse(_ problem: TapeWriter.Problem) -> Int32 {
    core.pointee.results.count = 0
    setError(problem.rawValue)
    return SL_RAISE
  }

  /// Leaves a Swift error for the trampoline to raise.
  func raise(_ error: any Error) -> Int32 {
    keep(error)
    core.pointee.results.count = 0
    core.pointee.text.count = 0
    if error is Cancelled {
      var writer = TapeWriter(core: core)
      writer.addCancelled()
      return SL_RAISE
    }
    guard let script = error as? ScriptError else {
      let message = String(describing: error)
      note(cause: error)
      setError(message)
      return SL_RAISE
    }
    if let value = script.value {
      if let problem = write([.value(value)]) { return refuse(problem) }
    } else if script.script != nil {
      // It has a position of its own: raise it as it is, without this call's in front.
      if let problem = write([.string(script.description)]) { return refuse(problem) }
      note(cause: script)
    } else {
      note(cause: script)
      setError(script)
    }
    return SL_RAISE
  }

  /// Leaves an error without a position for the trampoline to raise; scripts cannot catch it if it is of a limit on what
  /// they make the host do.
  func setError(_ error: ScriptError) {
    setError(error.message)
    guard let reason = error.kind.stop, let exceeded = error.exceeded, sl_can_stop(core) else {
      return
    }
    var message = error.message
    message.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { sl_stop(core, reason, $0.baseAddress, $0.count) }
    }
    core.pointee.stop_figure = exceeded.allowed
  }

  func setError(_ message: String) {
    var message = message
    message.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { sl_set_error(core, $0.baseAddress, $0.count) }
    }
  }
}
