import LuaBridge

/// Identifies a feature across reloads.
struct FeatureKey: Hashable, Sendable {
  /// The name of the feature; empty if it has none.
  let name: String
  let script: String

  /// - Parameter origin: the kind and the line of the declaration: `feature at todos.lua:18`.
  init(name: String?, origin: String) {
    self.init(name: name, place: origin.split(separator: " ", maxSplits: 2).last ?? "")
  }

  /// - Parameter place: the line of the declaration: `todos.lua:18`.
  init(name: String?, place: Substring) {
    self.name = name ?? ""
    script = String(place.lastIndex(of: ":").map { place[..<$0] } ?? place)
  }
}

/// What a feature of a script declares about reloads.
struct FeatureDeclaration: Sendable {
  let version: Int
  /// Whether a reload cancels the feature's effects.
  let cancelsOnReload: Bool
  /// The keys of the feature's `on` table.
  let patterns: Set<String>
}

/// The features that the scripts of one VM have made.
final class FeatureDeclarations {
  private var declarations: [FeatureKey: FeatureDeclaration] = [:]

  subscript(key: FeatureKey) -> FeatureDeclaration? { declarations[key] }

  /// The versions of the features that have another version in `newer`.
  func versions(otherThanIn newer: FeatureDeclarations) -> [FeatureKey: Int] {
    declarations.filter { key, old in newer[key].map { $0.version != old.version } ?? false }
      .mapValues(\.version)
  }

  /// Adds the native function `declareFeature`, with which the prelude's `scripted.feature` records
  /// each feature here.
  func addDeclaring(to natives: LuaTable) throws(ScriptError) {
    // The signature in Lua: declareFeature(name?, place, version?, cancels, on)
    let declare = try natives.vm.makeFunction("scripted.feature") { [weak self] arguments in
      guard let self, case .string(let place) = arguments.at(1),
        case .table(let on) = arguments.at(4)
      else { return .values([]) }
      declarations[FeatureKey(name: arguments.at(0).string, place: place[...])] =
        FeatureDeclaration(
          version: arguments.at(2).int ?? 1, cancelsOnReload: arguments.at(3).bool ?? false,
          patterns: Set(try on.entries().compactMap(\.key.string)))
      return .values([])
    }
    try natives.set("declareFeature", to: .function(declare))
  }
}
