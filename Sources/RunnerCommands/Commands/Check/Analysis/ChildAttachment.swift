/// A call of an operator that takes a key of the state: `Feature:forEach("todos", Todo)`.
struct ChildAttachment {
  enum Kind: String {
    case scope, forEach, ifLet, stack, onChange
  }

  let kind: Kind
  /// The feature that the operator, or a chain of operators, is applied to.
  let feature: Int
  /// The key, a string literal.
  let key: LuaExpression
  /// The keys from the state to the child's state.
  let path: [String]
  /// The child; nil for `onChange`.
  let child: LuaExpression?
  /// The table of options; nil if there is none.
  let options: LuaExpression?

  /// The type of the child's actions; nil if it is unknown.
  var action: String? {
    guard kind != .onChange else { return nil }
    guard let options else { return path.last }
    guard let table = options.tableLiteral else { return nil }
    guard let action = table.field("action") else { return path.last }
    return action.string
  }

  /// The field that identifies an element; nil if it is unknown.
  var idKey: String? {
    guard let options else { return "id" }
    guard let table = options.tableLiteral else { return nil }
    guard let id = table.field("id") else { return "id" }
    return id.string
  }
}

extension ScriptAnalysis {
  var attachments: [ChildAttachment] {
    chunk.calls.compactMap { call in
      guard case .method(let receiver, let name, let arguments) = call.kind,
        let kind = ChildAttachment.Kind(rawValue: name), let feature = feature(receiver),
        let key = arguments.first, let text = key.string
      else { return nil }
      let path = text.split(separator: ".").map(String.init)
      guard !path.isEmpty else { return nil }
      let isChild = kind != .onChange
      return ChildAttachment(
        kind: kind, feature: feature, key: key, path: path,
        child: isChild && arguments.count > 1 ? arguments[1] : nil,
        options: isChild && arguments.count > 2 ? arguments[2] : nil)
    }
  }
}
