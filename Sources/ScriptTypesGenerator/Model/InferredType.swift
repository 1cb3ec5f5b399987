import ScriptValue

extension TypeResolver {
  /// The type that all of some values have. An empty table may be a list or an object, and null tells
  /// nothing, so they are any value, unless other values tell more.
  ///
  /// Depth of recursion: that of the values, which is bounded.
  func inferredType(
    of values: [Value], field: String, in scope: TypeScope, at source: SourceLine?
  ) throws(TypesError) -> SwiftType {
    let present = values.filter { $0 != .null }
    if present.count < values.count {
      return try inferredType(of: present, field: field, in: scope, at: source).asOptional
    }
    if present.isEmpty { return .value }
    if present.allSatisfy({ $0.string != nil }) { return .string }
    if present.allSatisfy({ if case .boolean = $0 { true } else { false } }) { return .bool }
    if present.allSatisfy({ if case .integer = $0 { true } else { false } }) { return .int }
    if present.allSatisfy(\.isNumber) { return .double }
    let filled = present.filter { !$0.isEmptyTable }
    if filled.isEmpty { return .value }
    if filled.allSatisfy({ if case .array = $0 { true } else { false } }) {
      let elements = filled.flatMap { $0.array.map(Array.init) ?? [] }
      return .array(try inferredType(of: elements, field: field, in: scope, at: source))
    }
    guard filled.allSatisfy({ if case .object = $0 { true } else { false } }) else { return .value }
    return try inferredStructure(
      of: present.map { $0.object ?? [:] }, field: field, in: scope, at: source)
  }

  private func inferredStructure(
    of objects: [Value.Object], field: String, in scope: TypeScope, at source: SourceLine?
  ) throws(TypesError) -> SwiftType {
    let name = try scope.name(for: field, at: source)
    let inner = TypeScope.inside(name.full)
    var (members, properties) = (MemberNames("field"), [Property]())
    for key in Set(objects.flatMap { $0.map(\.key) }).sorted() {
      let values = objects.compactMap { $0[key] }
      let type = try inferredType(of: values, field: key, in: inner, at: source)
      properties.append(
        Property(
          key: key, name: try members.name(of: key, at: source),
          type: values.count < objects.count ? type.asOptional : type, source: source))
    }
    scope.add(
      .structure(
        StructDeclaration(
          name: name.own, properties: properties, nested: inner.declarations, source: source)))
    return .named(name.full)
  }
}

extension Value {
  fileprivate var isNumber: Bool {
    switch self {
    case .integer, .float: true
    default: false
    }
  }

  var isEmptyTable: Bool {
    switch self {
    case .array(let list): list.isEmpty
    case .object(let object): object.isEmpty
    default: false
    }
  }
}
