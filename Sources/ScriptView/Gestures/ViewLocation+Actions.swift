import ScriptValue

/// How an action of a node becomes one of the root.
extension ViewLocation {
  /// An action as a script has given it, nested by the places around this node.
  ///
  /// - Parameters:
  ///   - given: A path, `{ path, payload }`, or an action's table.
  ///   - fields: What the element adds to the payload of the innermost action.
  public func action(_ given: Value, adding fields: Value.Object = [:]) throws(ViewRefusal) -> Value
  {
    try making("action") { () throws(ActionError) in
      try nesting(try ViewLocation.table(of: given, adding: fields))
    }
  }

  /// The action that enters a value at a key of the state around this node.
  public func binding(_ field: String, _ value: Value) throws(ViewRefusal) -> Value {
    let table: Value = ["type": "binding", "key": .string(bindingKey(field)), "value": value]
    return try making("binding") { () throws(ActionError) in try nesting(table) }
  }

  /// The action that lets go of this presented child.
  func dismissal() throws(ViewRefusal) -> Value? {
    guard isPresented, let presenting = parent else { return nil }
    if let given = node.string("dismiss") { return try presenting.action(.string(given)) }
    guard let path = node.string("action") else { return nil }
    return try making("action") { () throws(ActionError) in
      var segments = try ActionPath(path).segments
      if segments.count > 1 { segments.removeLast() }
      return try presenting.nesting(try ViewLocation.nest(["type": "dismiss"], in: segments))
    }
  }

  /// The action that `body` makes of what the script has given to this node as an action or a binding, which `what` says.
  /// Refuses what is malformed.
  func making(
    _ what: String, _ body: () throws(ActionError) -> Value
  ) throws(ViewRefusal) -> Value {
    do throws(ActionError) {
      return try body()
    } catch {
      throw ViewRefusal(.action, "\(designation) has a malformed \(what): \(error.message)")
    }
  }

  /// What observers get with a change that this node causes.
  var transaction: Value? { node["animation"].map { ["animation": $0] } }

  // MARK: Nesting

  /// Nests an action of this node in the actions of the places around it.
  func nesting(_ action: Value) throws(ActionError) -> Value {
    var action = action
    var location = self
    while let parent = location.parent {
      switch parent.node.elementKind {
      case .child:
        if let path = parent.node.string("action") {
          action = try ViewLocation.nest(action, in: try ActionPath(path).segments)
        }
      case .forEach:
        if let path = parent.actionOfRows, case .row(let row)? = location.step {
          var segments = try ActionPath(path).segments
          segments[segments.count - 1].id = .value(row.id)
          action = try ViewLocation.nest(action, in: segments)
        }
      default: break
      }
      location = parent
    }
    return action
  }

  /// The action of rows that are features: that of the `forEach`, or of the navigation whose
  /// entries they are. Nil for rows of data.
  package var actionOfRows: String? {
    if let action = node.string("action") { return action }
    guard let parent, parent.node.elementKind == .navigation else { return nil }
    return parent.node.string("action")
  }

  /// Nests an action in types, from the last to the first.
  static func nest(
    _ action: Value, in segments: [ActionPath.Segment]
  ) throws(ActionError) -> Value {
    var action = action
    for segment in segments.reversed() {
      guard let outer = Value.nesting(action, in: [segment.step]) else {
        throw ActionError(tooDeep: segment.name)
      }
      action = outer
    }
    return action
  }

  // MARK: Bindings

  /// The key of a binding: inside of rows of data, that of a field of the element.
  func bindingKey(_ field: String) -> String {
    var key = field
    var location = self
    while let parent = location.parent {
      switch parent.node.elementKind {
      case .child: return key
      case .forEach:
        if parent.actionOfRows != nil { return key }
        if let list = parent.node.string("list"), case .row(let row)? = location.step {
          key = "\(list)[\(row.id.idInBrackets)].\(key)"
        }
      default: break
      }
      location = parent
    }
    return key
  }

  // MARK: What scripts give

  /// An action's table, with fields merged into the payload of its innermost action.
  ///
  /// - Parameter given: a path, `{ path, payload }`, or an action's table.
  package static func table(
    of given: Value, adding fields: Value.Object = [:]
  ) throws(ActionError) -> Value {
    switch given {
    case .string(let path):
      return merging(fields, into: try ActionPath(path).action(payload: nil))
    case .array(let parts):
      guard parts.count == 1 || parts.count == 2, let path = parts[0].string else {
        throw ActionError("\(given) is no path with a payload")
      }
      let payload: Value? = parts.count == 2 ? .some(parts[1]) : .none
      return merging(fields, into: try ActionPath(path).action(payload: payload))
    case .object(let object):
      guard object["type"]?.string?.isEmpty == false else {
        throw ActionError("\(given) has no type")
      }
      return merging(fields, into: given)
    default:
      throw ActionError("\(given) is no path and no table")
    }
  }

  /// Adds fields to the innermost action. The depth of an action is bounded by that of values.
  private static func merging(_ fields: Value.Object, into action: Value) -> Value {
    guard !fields.isEmpty, case .object(var object) = action else { return action }
    if case .object(let inner)? = object["action"], inner["type"]?.string != nil {
      object["action"] = merging(fields, into: .object(inner))
    } else {
      for (key, value) in fields { object[key] = value }
    }
    return .object(object)
  }
}
