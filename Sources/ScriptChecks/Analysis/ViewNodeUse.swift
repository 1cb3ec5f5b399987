import LuaSyntax
import ScriptView
import ScriptedStore

/// A call of a function of `scripted.ui` that makes a node: `ui.button { "Save", action = "save" }`.
struct ViewNodeUse {
  /// The function's name.
  let kind: String
  let call: LuaExpression
  let arguments: [LuaExpression]
  /// The features whose views may show the node; empty if they are unknown.
  let features: FeatureSet

  /// The element; nil for an unknown name.
  var element: ViewElement? { ViewElement.named(kind) }

  /// The named properties that are written out, with keys that are constant.
  var properties: [(key: LuaExpression, name: String, value: LuaExpression)] {
    (arguments.first?.tableFields ?? []).compactMap { key, value in
      key.flatMap { key in key.string.map { (key, $0, value) } }
    }
  }

  /// The array part, as far as it is written out.
  var children: [LuaExpression] {
    (arguments.first?.tableFields ?? []).filter { $0.key == nil }.map(\.value)
  }

  /// The properties of a kind, with their values.
  func values(of isWanted: (ViewProperty.Kind) -> Bool) -> [(name: String, value: LuaExpression)] {
    guard let element else { return [] }
    return properties.compactMap { _, name, value in
      guard let property = element.property(name), isWanted(property.kind) else { return nil }
      return (name, value)
    }
  }
}

extension ViewNodeUse {
  /// The node that a call makes; nil if the call is another one.
  init?(_ call: LuaExpression, _ roles: FeatureRoles) {
    guard case .call(let callee, let arguments) = call.kind,
      let reference = LuaReference(callee), reference.fields.count == 1,
      reference == .ui(reference.fields[0])
    else { return nil }
    self.init(
      kind: reference.fields[0], call: call, arguments: arguments,
      features: roles.features(of: call.function))
  }

  /// The properties with keys of the state that the node is bound to, if they are written out.
  var boundFields: [(property: String, key: String, field: LuaExpression)] {
    values { $0 == .field }.compactMap { name, value in
      value.resolved.string.map { (name, $0, value) }
    }
  }
}

/// The place in a script where a view names a child: `ui.child "settings"`, `sheet = "destination.add"`.
struct ViewPlacementUse {
  let placement: ViewPlacement
  /// The path of the child's actions; empty for the present case.
  let path: String
  let position: SourcePosition
  let features: FeatureSet
}

extension ViewNodeUse {
  /// The places of the node whose children are written out as a name.
  var placements: [ViewPlacementUse] {
    let first = arguments.first
    let named: [(placement: ViewPlacement, path: LuaExpression?)]
    switch kind {
    case "child":
      guard first != nil else { return [use(.child, "", call.position)] }
      named = [(.child, first)]
    case "forEach": named = [(.rows, first)]
    case "navigation": named = [(.stack, first?.tableLiteral?.field("path"))]
    default: named = values { $0 == .presentation }.map { (.presented($0.name), $0.value) }
    }
    return named.compactMap { placement, path in
      guard let path, let text = path.resolved.string else { return nil }
      return use(placement, text, path.position)
    }
  }

  private func use(
    _ placement: ViewPlacement, _ path: String, _ position: SourcePosition
  ) -> ViewPlacementUse {
    ViewPlacementUse(placement: placement, path: path, position: position, features: features)
  }
}
