import LuaSyntax
import ScriptView
import ScriptedStore

/// A child that a view places: `ui.child "settings"`, `sheet = "destination.add"`.
struct PlacedChild: Sendable {
  let placement: ViewPlacement
  /// The path of the child's actions; empty for the present case.
  let path: String
}

/// The place in a script where a view names a child.
struct ViewPlacementUse {
  let child: PlacedChild
  let position: SourcePosition
  let features: FeatureSet
}

extension ScriptAnalysis {
  /// The places whose children are written out as a name.
  var viewPlacements: [ViewPlacementUse] { viewNodes.flatMap(\.placements) }
}

extension ViewNodeUse {
  fileprivate var placements: [ViewPlacementUse] {
    let first = arguments.first
    switch kind {
    case "child":
      guard let first else { return [use(.child, "", call.position)] }
      return use(.child, first)
    case "forEach": return use(.rows, first)
    case "navigation": return use(.stack, first?.tableLiteral?.field("path"))
    default:
      return values { $0 == .presentation }.flatMap { use(.presented($0.name), $0.value) }
    }
  }

  private func use(_ placement: ViewPlacement, _ path: LuaExpression?) -> [ViewPlacementUse] {
    guard let path, let text = path.resolved.string else { return [] }
    return [use(placement, text, path.position)]
  }

  private func use(
    _ placement: ViewPlacement, _ path: String, _ position: SourcePosition
  ) -> ViewPlacementUse {
    ViewPlacementUse(
      child: PlacedChild(placement: placement, path: path), position: position, features: features)
  }
}
