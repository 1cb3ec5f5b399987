import CLua

/// Where scripts define functions, and where they are when they call the host.
extension LuaVM {
  /// Where a script defined the function that a thread runs; nil before it runs.
  package func definition(of thread: BodyThread) -> (script: String, line: Int)? {
    var line: Int32 = 0
    guard let script = sl_body_definition(thread.thread, &line) else { return nil }
    return (ScriptError.chunkName(script), Int(line))
  }

  /// `script:line` of the innermost script function, while a script calls the host; nil if there is
  /// none.
  package var scriptLocation: String? {
    sl_locate(core, core.pointee.L, 0)
    let failure = core.pointee.failure
    return failure.line > 0 ? "\(failure.script.string):\(failure.line)" : nil
  }

  /// Where a script defined the function of a body that has not started; nil for a host function.
  package func definition(of functions: BodyFunctions) -> (script: String, line: Int)? {
    let slot =
      switch functions {
      case .shared(let function, _): function.slot
      case .own(let run): run.function
      }
    return definition(ofSlot: slot).map { ($0.script, $0.line) }
  }

  func definition(ofSlot slot: Int32) -> (script: String, line: Int, parameters: Int?)? {
    var line: Int32 = 0
    var script: UnsafePointer<CChar>?
    let parameters = sl_parameters(core, slot, &line, &script)
    guard parameters != 255, let script else { return nil }
    return (ScriptError.chunkName(script), Int(line), parameters < 0 ? nil : Int(parameters))
  }
}
