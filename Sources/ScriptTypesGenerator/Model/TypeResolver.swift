import ScriptValue

/// Turns the types of annotations into types of Swift, and declares the classes and aliases that they
/// name.
final class TypeResolver {
  let scripts: AnnotatedScripts
  /// The declarations of classes and aliases, in the order of their first use.
  private(set) var declarations: [Declaration] = []
  private var resolved: [String: SwiftType] = [:]
  /// The classes and aliases whose parts are being resolved, the innermost last. `isBoxed` tells
  /// whether it is in a list or a dictionary of the one before.
  private var open: [(name: String, isBoxed: Bool)] = []
  /// Whether what is resolved now is in a list or a dictionary of the innermost one.
  private var isBoxed = false
  /// What the generated types are made of, by their names, none of which may occur twice in a file.
  private var owners: [String: (what: String, source: SourceLine?)] = [
    "ScriptAction": ("the protocol of all actions", nil)
  ]

  init(_ scripts: AnnotatedScripts) { self.scripts = scripts }

  /// Takes the name of a generated type.
  ///
  /// - Throws: An error if another type has this name.
  func declare(_ name: String, for what: String, at source: SourceLine?) throws(TypesError) {
    if let other = owners[name] {
      let place = other.source.map { " (\($0.script):\($0.line))" } ?? ""
      throw TypesError(
        "\(what) and \(other.what)\(place) both become the Swift type '\(name)'; rename one of them",
        at: source ?? other.source)
    }
    owners[name] = (what, source)
  }

  /// Lets a class stand for the state of a feature.
  func setState(ofClass className: String, to type: SwiftType) {
    if resolved[className] == nil { resolved[className] = type }
  }

  /// Runs `body`, which resolves the fields of a state. The classes that stand for it contain themselves if
  /// they occur there.
  func resolvingState(
    _ state: SwiftType, ofClasses names: [String], _ body: () throws(TypesError) -> Void
  ) throws(TypesError) {
    let names = names.filter { resolved[$0] == state }
    open += names.map { ($0, false) }
    defer { open.removeLast(names.count) }
    try body()
  }

  // MARK: Types

  /// - Parameters:
  ///   - field: names the types of tables and literals that have no name of their own.
  ///   - scope: where these go.
  func type(
    _ type: LuaType, of field: String, in scope: TypeScope, at source: SourceLine
  ) throws(TypesError) -> SwiftType {
    switch type {
    case .name(let name): return try named(name, at: source)
    case .optional(let type):
      return try self.type(type, of: field, in: scope, at: source).asOptional
    case .array(let element):
      return .array(try boxed(element, of: field, in: scope, at: source))
    case .dictionary(let element):
      return .dictionary(try boxed(element, of: field, in: scope, at: source))
    case .table(let fields):
      let name = try scope.name(for: field, at: source)
      return try structure(
        name.full, declaredAs: name.own, fields.placed(in: source.script), in: scope, at: source)
    case .union(let members): return try union(members, of: field, in: scope, at: source)
    case .string, .integer: return try union([type], of: field, in: scope, at: source)
    case .function:
      throw TypesError(
        "'\(field)' is a function here, which neither a state nor an action can hold; write another "
          + "type", at: source)
    }
  }

  /// The type of what a list or a dictionary has.
  private func boxed(
    _ type: LuaType, of field: String, in scope: TypeScope, at source: SourceLine
  ) throws(TypesError) -> SwiftType {
    let outer = isBoxed
    isBoxed = true
    defer { isBoxed = outer }
    return try self.type(type, of: field, in: scope, at: source)
  }

  private func named(_ name: String, at source: SourceLine) throws(TypesError) -> SwiftType {
    switch name {
    case "string": return .string
    case "integer": return .int
    case "number": return .double
    case "boolean", "true", "false": return .bool
    case "any", "unknown", "nil", "scripted.Null": return .optional(.value)
    case "table", "scripted.Id": return .value
    case _ where name.hasPrefix("scripted."): return .value
    default: break
    }
    if let index = open.lastIndex(where: { $0.name == name }) {
      guard isBoxed || open[(index + 1)...].contains(where: \.isBoxed) else {
        throw TypesError(
          "'\(name)' contains itself, and a struct of Swift cannot; make the field a list",
          at: source
        )
      }
    }
    if let known = resolved[name] { return known }
    if let (declared, script) = scripts.classes[name] {
      return try self.declared(declared, in: script)
    }
    if let (alias, script) = scripts.aliases[name] { return try self.alias(alias, in: script) }
    throw scripts.unknown(name, at: source)
  }

  private func declared(
    _ declared: ScriptAnnotations.Class, in script: String
  ) throws(TypesError) -> SwiftType {
    let source = SourceLine(script: script, line: declared.line)
    let name = SwiftName.type(declared.name) ?? "Class"
    try declare(name, for: "the class \(declared.name)", at: source)
    resolved[declared.name] = .named(name)
    let outer = isBoxed
    open.append((declared.name, outer))
    isBoxed = false
    defer {
      open.removeLast()
      isBoxed = outer
    }
    let top = TypeScope.beside("")
    let fields = try fields(of: declared, in: script)
    _ = try structure(name, declaredAs: name, fields, in: top, at: source)
    declarations += top.declarations
    return .named(name)
  }

  private func alias(
    _ alias: ScriptAnnotations.Alias, in script: String
  ) throws(TypesError) -> SwiftType {
    let source = SourceLine(script: script, line: alias.line)
    guard !open.contains(where: { $0.name == alias.name }) else {
      throw TypesError("the alias '\(alias.name)' stands for itself", at: source)
    }
    open.append((alias.name, isBoxed))
    defer { open.removeLast() }
    let top = TypeScope.beside("")
    let type = try type(alias.type, of: alias.name, in: top, at: source)
    for declaration in top.declarations {
      try declare(declaration.name, for: "the alias \(alias.name)", at: source)
      declarations.append(declaration)
    }
    resolved[alias.name] = type
    return type
  }

  /// The fields of a table or of a declared class; nil for another type.
  func fields(of type: LuaType, at source: SourceLine) throws(TypesError) -> [PlacedField]? {
    switch type {
    case .table(let fields): return fields.placed(in: source.script)
    case .name(let name) where !AnnotatedScripts.builtIn.contains(name):
      guard let (declared, script) = scripts.classes[name] else {
        throw scripts.unknown(name, at: source)
      }
      return try fields(of: declared, in: script)
    default: return nil
    }
  }

  /// The fields of a class and of its parents, those of the parents first.
  func fields(
    of declared: ScriptAnnotations.Class, in script: String, below: [String] = []
  ) throws(TypesError) -> [PlacedField] {
    var fields: [PlacedField] = []
    if let parent = declared.parent, !parent.hasPrefix("scripted."), parent != "table" {
      let source = SourceLine(script: script, line: declared.line)
      guard !below.contains(parent), parent != declared.name else {
        throw TypesError("the class '\(parent)' is a parent of itself", at: source)
      }
      guard let (above, other) = scripts.classes[parent] else {
        throw scripts.unknown(parent, at: source)
      }
      fields = try self.fields(of: above, in: other, below: below + [declared.name])
    }
    for field in declared.fields {
      fields.removeAll { $0.field.name == field.name }
      fields += [field].placed(in: script)
    }
    return fields
  }

  /// The properties for the fields of a table or a class.
  ///
  /// - Parameter prefix: begins the names of the types of tables and literals in them.
  func properties(
    _ fields: [PlacedField], prefix: String = "", in scope: TypeScope
  ) throws(TypesError) -> [Property] {
    var (members, properties) = (MemberNames("field"), [Property]())
    for (field, source) in fields {
      properties.append(
        Property(
          key: field.name, name: try members.name(of: field.name, at: source),
          type: try type(field.type, of: prefix + field.name, in: scope, at: source),
          source: source))
    }
    return properties
  }

  // MARK: Declarations

  private func structure(
    _ full: String, declaredAs own: String, _ fields: [PlacedField], in scope: TypeScope,
    at source: SourceLine
  ) throws(TypesError) -> SwiftType {
    let inner = TypeScope.inside(full)
    let properties = try properties(fields, in: inner)
    scope.add(
      .structure(
        StructDeclaration(
          name: own, properties: properties, nested: inner.declarations, source: source)))
    return .named(full)
  }

  private func union(
    _ members: [LuaType], of field: String, in scope: TypeScope, at source: SourceLine
  ) throws(TypesError) -> SwiftType {
    let isNull = { (type: LuaType) in type == .name("nil") || type == .name("scripted.Null") }
    var present = members.filter { !isNull($0) }
    var isOptional = present.count < members.count
    for (index, member) in present.enumerated() {
      guard case .optional(let type) = member else { continue }
      present[index] = type
      isOptional = true
    }
    guard !present.isEmpty else { return .optional(.value) }
    let type = try union(ofPresent: present, of: field, in: scope, at: source)
    return isOptional ? type.asOptional : type
  }

  private func union(
    ofPresent members: [LuaType], of field: String, in scope: TypeScope, at source: SourceLine
  ) throws(TypesError) -> SwiftType {
    let texts = members.compactMap { if case .string(let text) = $0 { text } else { nil } }
    let numbers = members.compactMap { if case .integer(let number) = $0 { number } else { nil } }
    if texts.count == members.count || numbers.count == members.count {
      let name = try scope.name(for: field, at: source)
      var cases: [(name: String, literal: String)] = []
      var names = MemberNames("value")
      for text in texts where !cases.contains(where: { $0.literal == SwiftName.literal(text) }) {
        cases.append((try names.name(of: text, at: source), SwiftName.literal(text)))
      }
      for number in numbers where !cases.contains(where: { $0.literal == "\(number)" }) {
        let key = number < 0 ? "minus\(number.magnitude)" : "value\(number)"
        cases.append((try names.name(of: key, at: source), "\(number)"))
      }
      scope.add(
        .literals(
          LiteralsDeclaration(
            name: name.own, rawType: texts.isEmpty ? .int : .string, cases: cases, source: source)))
      return .named(name.full)
    }
    if members.count == 1 { return try type(members[0], of: field, in: scope, at: source) }
    let names = Set(members.map { if case .name(let name) = $0 { name } else { "" } })
    if names.isSubset(of: ["true", "false", "boolean"]) { return .bool }
    if names.isSubset(of: ["integer", "number"]) { return .double }
    return .value
  }
}

/// A field with the line of its annotation.
typealias PlacedField = (field: LuaType.Field, source: SourceLine)

extension [LuaType.Field] {
  func placed(in script: String) -> [PlacedField] {
    map { ($0, SourceLine(script: script, line: $0.line)) }
  }
}

extension Declaration {
  var name: String {
    switch self {
    case .structure(let declaration): declaration.name
    case .literals(let declaration): declaration.name
    case .cases(let declaration): declaration.name
    case .action(let declaration): declaration.name
    }
  }
}

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
