import ScriptedStore

/// Why a feature has no screen, and what to do.
struct MissingView: CustomStringConvertible {
  private let tree: ReducerTree

  init(_ tree: ReducerTree) { self.tree = tree.displayed }

  var description: String {
    let place = tree.origin.map { "\($0): " } ?? ""
    return """
      \(place)\(tree.name ?? "this reducer") has no view, so there is nothing to show; \
      give the feature one, as `view = function(state) return "Hello" end`
      """
  }
}
