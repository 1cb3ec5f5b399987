import LuaBridge

/// The features of some domains, also those that a function makes on its first use, and what they share.
package struct FeatureWalk {
  /// A shared field inside of a shared field of a feature around.
  package struct NestedSharing: Hashable, Sendable {
    package let field: String
    /// The paths of both fields in the state of the outermost feature.
    package let path: String
    package let outerPath: String
    /// The script line of the feature that shares the field inside, as `form.lua:3`.
    package let origin: String
  }

  /// The features, each with a domain that has it.
  private(set) var features: [(feature: FeatureNode, domain: Domain)] = []
  /// Why a child cannot be composed: the first error.
  private(set) var failure: ScriptError?
  private(set) var keys: [SharedKey] = []
  /// The paths of the fields with these keys; nil for those of elements.
  private var places: [String?] = []
  private(set) var nested: Set<NestedSharing> = []

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
    guard !above.contains(domain.identity) else { return }
    var shared: [String] = []
    for feature in FeatureWalk.features(of: domain.root) {
      for field in feature.shared {
        keys.append(field.key)
        places.append(
          path.flatMap { $0.contains("[*]") ? nil : FeatureWalk.text($0 + [field.name]) })
        guard let path, let outer else { continue }
        nested.insert(
          NestedSharing(
            field: field.name, path: FeatureWalk.text(path + [field.name]),
            outerPath: FeatureWalk.text(outer), origin: feature.line))
      }
      shared += feature.shared.map(\.name)
    }
    visitChildren(
      of: domain.root, in: domain, at: path, inside: above + [domain.identity], sharing: shared,
      below: outer)
  }

  private mutating func visitChildren(
    of node: ReducerNode, in domain: Domain, at path: [String]?, inside above: [String],
    sharing shared: [String], below outer: [String]?
  ) {
    if let feature = node.ownFeature { features.append((feature, domain)) }
    let outline = node.outline
    for part in node.parts {
      visitChildren(
        of: part, in: domain, at: path, inside: above, sharing: shared, below: outer)
    }
    for (name, reference) in outline.children {
      let child: Domain
      do throws(ScriptError) {
        child = try reference.domain()
      } catch {
        failure = failure ?? error
        continue
      }
      let key = name.map { [$0] } ?? outline.key?.splitAtDots()
      var below: [String]?
      if let path, let key {
        below = path + key + (outline.presence?.hasIDs == true ? ["[*]"] : [])
      }
      let own = key?.first.flatMap { shared.contains($0) ? $0 : nil }
      visit(
        child, at: below, inside: above,
        below: outer ?? (own.flatMap { own in path.map { $0 + [own] } }))
    }
  }

  /// The features that run on the state of a node.
  private static func features(of node: ReducerNode) -> [FeatureNode] {
    if let feature = node.ownFeature { return [feature] }
    return node.parts.flatMap(features)
  }

  /// A path as people write it: `rows[*].theme`.
  private static func text(_ path: [String]) -> String {
    path.reduce("") { text, key in
      text + (text.isEmpty || key == "[*]" ? key : ".\(key)")
    }
  }
}

extension FeatureNode {
  /// The script line of the feature: `todos.lua:18`.
  var line: String { String(FeatureNode.line(of: origin)) }

  /// The script line in an origin such as `feature at todos.lua:18`.
  static func line(of origin: String) -> Substring {
    origin.split(separator: " ", maxSplits: 2).last ?? ""
  }
}
