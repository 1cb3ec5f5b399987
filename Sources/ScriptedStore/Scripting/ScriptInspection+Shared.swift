import LuaBridge

/// What the features of a script share.
extension ScriptInspection {
  /// The key behind a shared field of a feature.
  package struct SharedDeclaration: Sendable {
    /// `inMemory`, `fileStorage`, `appStorage`, `database` or `custom`.
    package let kind: String
    package let name: String
    /// The version of a stored value's shape.
    package let version: Int
    /// The type of the default; nil if there is none, or if a function makes it.
    package let defaultType: String?
    /// The script line of the key, as `keys.lua:4`.
    package let origin: String
    package let isStored: Bool

    /// Equal for names of keys that a host cannot tell apart.
    package var foldedName: String { SharedNames.folded(name, isStored: isStored) }
  }

  /// A shared field inside of a shared field of a feature around.
  package struct NestedSharing: Sendable, Hashable {
    /// The field inside.
    package let field: String
    /// The paths of both fields in the state of the outermost feature.
    package let path: String
    package let outerPath: String
    /// The script line of the feature that shares the field inside, as `form.lua:3`.
    package let origin: String
  }

  /// The keys that the composed features share, also those of features that a function makes on its
  /// first use.
  package var sharedDeclarations: [SharedDeclaration] {
    walkShared().declarations
  }

  package var nestedSharing: [NestedSharing] { Array(Set(walkShared().nested)) }

  private func walkShared() -> SharedWalk {
    var walk = SharedWalk()
    for root in roots { walk.visit(root, at: [], inside: [], below: nil) }
    return walk
  }
}

/// A walk through composed reducers that collects what they share.
struct SharedWalk {
  private var keys: [SharedKey] = []
  /// The paths of the fields with these keys; nil for those of elements.
  private var places: [String?] = []
  fileprivate var declarations: [ScriptInspection.SharedDeclaration] = []
  fileprivate var nested: [ScriptInspection.NestedSharing] = []

  /// The keys that the features of these domains share, also those of features that a function makes on
  /// its first use.
  static func keys(of domains: [Domain]) -> [SharedKey] {
    var walk = SharedWalk()
    // Stores of one feature have one domain.
    var visited: Set<ObjectIdentifier> = []
    for domain in domains where visited.insert(ObjectIdentifier(domain)).inserted {
      walk.visit(domain, at: [], inside: [], below: nil)
    }
    return walk.keys
  }

  /// The paths of the shared fields of a domain that show values, and not what became of storing one. Fields of
  /// elements are left out.
  static func fields(of domain: Domain) -> [String] {
    var walk = SharedWalk()
    walk.visit(domain, at: [], inside: [], below: nil)
    return zip(walk.keys, walk.places).compactMap { $0.kind == .status ? nil : $1 }
  }

  /// - Parameters:
  ///   - path: the keys from the outermost state to that of the domain; `[*]` for elements. Nil if they
  ///     are unknown, because functions read and write the state.
  ///   - above: the origins of the domains around. A domain that contains itself is visited once.
  ///   - outer: the path of the nearest shared field that the domain's state lies in.
  fileprivate mutating func visit(
    _ domain: Domain, at path: [String]?, inside above: [String], below outer: [String]?
  ) {
    let identity = domain.root.firstFeature?.origin ?? domain.root.origin
    guard !above.contains(identity) else { return }
    var shared: [String] = []
    for feature in SharedWalk.features(of: domain.root) {
      let origin = String(feature.origin.split(separator: " ").last ?? "")
      for field in feature.shared {
        add(field.key)
        places.append(
          path.flatMap { $0.contains("[*]") ? nil : SharedWalk.text($0 + [field.name]) })
        guard let path, let outer else { continue }
        nested.append(
          ScriptInspection.NestedSharing(
            field: field.name, path: SharedWalk.text(path + [field.name]),
            outerPath: SharedWalk.text(outer), origin: origin))
      }
      shared += feature.shared.map(\.name)
    }
    visitChildren(
      of: domain.root, at: path, inside: above + [identity], sharing: shared, below: outer)
  }

  private mutating func visitChildren(
    of node: ReducerNode, at path: [String]?, inside above: [String], sharing shared: [String],
    below outer: [String]?
  ) {
    let outline = node.outline
    for part in outline.parts {
      visitChildren(of: part, at: path, inside: above, sharing: shared, below: outer)
    }
    for (name, reference) in outline.children {
      guard let child = try? reference.domain() else { continue }
      let key = name.map { [$0] } ?? outline.key.map { $0.split(separator: ".").map(String.init) }
      var below: [String]?
      if let path, let key {
        below = path + key + (outline.action?.hasSuffix("[*]") == true ? ["[*]"] : [])
      }
      let own = key?.first.flatMap { shared.contains($0) ? $0 : nil }
      visit(
        child, at: below, inside: above,
        below: outer ?? (own.flatMap { own in path.map { $0 + [own] } }))
    }
  }

  /// The features that run on the state of a node.
  private static func features(of node: ReducerNode) -> [FeatureNode] {
    if let feature = node as? FeatureNode { return [feature] }
    return node.outline.parts.flatMap(features)
  }

  private mutating func add(_ key: SharedKey) {
    keys.append(key)
    guard key.isStored || key.kind == .inMemory || key.kind == .custom else { return }
    let value = try? key.plainDefault()
    declarations.append(
      ScriptInspection.SharedDeclaration(
        kind: key.kind.rawValue, name: key.name, version: key.version,
        defaultType: value.map { LuaValue($0).typeName }, origin: key.origin,
        isStored: key.isStored))
  }

  /// A path as people write it: `rows[*].theme`.
  private static func text(_ path: [String]) -> String {
    path.reduce("") { text, key in
      text + (text.isEmpty || key == "[*]" ? key : ".\(key)")
    }
  }
}
