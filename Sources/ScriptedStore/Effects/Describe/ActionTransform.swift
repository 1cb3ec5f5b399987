import LuaBridge

/// The function of `map`.
enum ActionTransform: Sendable {
  case swift(@Sendable (Action) -> Action)
  case script(FunctionToken)
}
