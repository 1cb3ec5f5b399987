import LuaBridge

/// What the features of some domains share, also those of features that a function makes on its first use.
struct SharedWalk {
  /// A shared field inside of a shared field of a feature around.
  struct Nested: Hashable {
    let field: String
    /// The paths of both fields in the state of the outermost feature.
    let path: String
    let outerPath: String
    /// The script line of the feature that shares the field inside.
    let origin: String
  }

  private(set) var keys: [SharedKey] = []
  /// The paths of the fields with these keys; nil for those of elements.
  private var places: [String?] = []
  private(set) var nested: Set<Nested> = []

  init(_ domains: [Domain]) {
    // Stores of one feature have one domain.
    var visited: Set<ObjectIdentifier> = []
    for domain in domains where visited.insert(ObjectIdentifier(domain)).inserted {
      visit(domain, at: [], inside: [], below: nil)
    }
  }

  /// The paths of the fields that show values, and not what became of storing one. Fields of elements are left out.
  var fields: [String] { zip(keys, places).compactMap { $0.kind == .status ? nil : $1 } }

  /// - Parameters:
  ///   - path: the keys from the outermost state to that of the domain; `[*]` for elements. Nil if they
  ///     are unknown, because functions read and write the state.
  ///   - above: the origins of the domains around. A domain that contains itself is visited once.
  ///   - outer: the path of the nearest shared field that the domain's state lies in.
  private mutating func visit(
    _ domain: Domain, at path: [String]?, inside above: [String], below outer: [String]?
  ) {
    let identity = domain.root.firstFeature?.origin ?? domain.root.origin
    guard !above.contains(identity) else { return }
    var shared: [String] = []
    for feature in SharedWalk.features(of: domain.root) {
      let origin = String(feature.origin.split(separator: " ").last ?? "")
      for field in feature.shared {
        keys.append(field.key)
        places.append(
          path.flatMap { $0.contains("[*]") ? nil : SharedWalk.text($0 + [field.name]) })
        guard let path, let outer else { continue }
        nested.insert(
          Nested(
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

  /// A path as people write it: `rows[*].theme`.
  private static func text(_ path: [String]) -> String {
    path.reduce("") { text, key in
      text + (text.isEmpty || key == "[*]" ? key : ".\(key)")
    }
  }
}
