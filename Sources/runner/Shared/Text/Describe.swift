import ScriptedStore

/// The error's message and source line, followed by the traceback if there is one.
func describe(_ error: ScriptError) -> String {
  guard let traceback = error.traceback else { return "\(error)" }
  return "\(error)\n\(traceback)"
}
