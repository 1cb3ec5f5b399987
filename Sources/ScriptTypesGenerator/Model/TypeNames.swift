/// The names in one type, none of which may occur twice there.
struct MemberNames {
  private var owners: [String: (key: String, source: SourceLine?)] = [:]
  /// What messages call the names: `field`, `action`, `case` or `value`.
  let what: String

  init(_ what: String) { self.what = what }

  /// The name of a key in Swift.
  ///
  /// - Throws: An error if another key has the same name.
  mutating func name(of key: String, at source: SourceLine?) throws(TypesError) -> String {
    let name = SwiftName.identifier(key) ?? Self.spelled(key)
    if let other = owners[name] {
      let place = other.source.map { " (\($0.script):\($0.line))" } ?? ""
      throw TypesError(
        "the \(what)s '\(key)' and '\(other.key)'\(place) both become '\(name)' in Swift; rename one "
          + "of them", at: source ?? other.source)
    }
    owners[name] = (key, source)
    return name
  }

  /// A name for a text without letters: `u2B` for `+`.
  private static func spelled(_ key: String) -> String {
    guard !key.isEmpty else { return "empty" }
    return "u"
      + key.unicodeScalars.map { String($0.value, radix: 16, uppercase: true) }
      .joined(separator: "_")
  }
}

/// Where the types go that belong to one other type: inside of it, or beside it with a prefix.
final class TypeScope {
  private let prefix: String
  private(set) var declarations: [Declaration] = []
  private var names: [String: String] = [:]

  private init(prefix: String) { self.prefix = prefix }

  static func inside(_ name: String) -> TypeScope { TypeScope(prefix: name + ".") }
  static func beside(_ name: String) -> TypeScope { TypeScope(prefix: name) }

  /// A name for the type of a field: the one for references, and the one for its declaration.
  ///
  /// - Parameter fallback: the name for a text without letters.
  func name(
    for field: String, else fallback: String = "Field", at source: SourceLine?
  ) throws(TypesError) -> (full: String, own: String) {
    let type = SwiftName.type(field) ?? fallback
    if let other = names[type] {
      throw TypesError(
        "the types of '\(field)' and '\(other)' both become '\(prefix)\(type)'; rename one of them",
        at: source)
    }
    names[type] = field
    return (prefix + type, prefix.hasSuffix(".") ? type : prefix + type)
  }

  func add(_ declaration: Declaration) { declarations.append(declaration) }
}
