import LuaBridge

/// The function by which a reducer is drawn.
struct ViewFunction {
  enum Body {
    case script(Handler)
    case host(Reducer.ViewBody)
  }

  let body: Body
  /// The number of the feature's name, for messages about what the view keeps too long.
  let owner: UInt16
  /// The feature that is drawn.
  let feature: String
  /// Where the view was declared: `view at todos.lua:12`.
  let origin: String

  /// An error of the view with its place: what the view returned has none of its own, so the view's is shown.
  func locating(_ error: ScriptError) -> ScriptError {
    var error = error
    if error.feature == nil { error.feature = feature }
    if error.script == nil, case .script(let handler) = body {
      (error.script, error.line) = (handler.script, handler.line)
    }
    return error
  }
}
