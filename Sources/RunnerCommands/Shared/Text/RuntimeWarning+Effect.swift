import ScriptedStore

extension RuntimeWarning {
  /// The effect that the warning is about, as `in the effect of Todos at scripts/todos.lua:18, which add
  /// started`; nil if it is about none.
  var effectText: String? {
    guard let effect else { return nil }
    let feature = effect.feature.map { " of \($0)" } ?? ""
    let action = effect.action.map { ", which \($0) started" } ?? ""
    return "in the effect\(feature) at \(ScriptPaths.inMessage(effect.origin))\(action)"
  }
}
