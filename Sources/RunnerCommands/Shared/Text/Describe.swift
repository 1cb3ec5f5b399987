import ScriptedStore

/// The error's message and source line, followed by the traceback if there is one. Script names are
/// paths from the current folder.
func describe(_ error: ScriptError) -> String {
  let lines = [error.displayed, error.traceback.map(ScriptPaths.inMessage)]
  return lines.compactMap(\.self).joined(separator: "\n")
}
