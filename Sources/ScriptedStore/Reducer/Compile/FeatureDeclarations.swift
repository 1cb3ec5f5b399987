import LuaBridge

/// Identifies a feature across reloads.
struct FeatureKey: Hashable, Sendable {
  /// The name of the feature; empty if it has none.
  let name: String
  let script: String

  init(name: String, script: String) { (self.name, self.script) = (name, script) }

  /// - Parameter place: the line of the declaration: `todos.lua:18`.
  init(name: String?, place: Substring) {
    self.name = name ?? ""
    script = String(place.lastIndex(of: ":").map { place[..<$0] } ?? place)
  }
}

/// What a feature of a script declares about reloads.
struct FeatureDeclaration {
  let version: Int
  /// Whether a reload cancels the feature's effects.
  let cancelsOnReload: Bool
  /// The keys of the feature's `on` table, and of the features with the same key.
  let patterns: Set<String>
  /// The feature's `state`, as a table of Lua.
  let defaults: LuaTable?
  /// Whether several features have the same key, so that it is not known which of them was which.
  var isAmbiguous = false

  func defaultKeys() throws(ScriptError) -> Set<String> {
    Set(try defaults?.entries().compactMap(\.key.string) ?? [])
  }
}

/// A feature as the code that has made a state declared it.
struct FormerFeature {
  let key: FeatureKey
  let version: Int?
  /// The keys of its `state`; nil if they are not known.
  let fields: Set<String>?
}

/// What other code changes in the states of a feature.
struct FeatureChange: Sendable {
  /// The version of the old code; nil if the new code has the same one.
  var oldVersion: Int?
  /// The version of the new code.
  let version: Int
  /// The keys of `state` that the old code did not have, with their defaults; sorted by key.
  var newFields: [(key: String, value: Value)] = []
}

/// The features that the scripts of one VM have made.
final class FeatureDeclarations {
  private var declarations: [FeatureKey: FeatureDeclaration] = [:]
  /// Whether a feature shares fields of its state.
  private(set) var haveSharedFields = false
  /// What ``versions(of:)`` has made, so that many stores have one value.
  private var versions: [Set<FeatureKey>: Value] = [:]

  subscript(key: FeatureKey) -> FeatureDeclaration? { declarations[key] }

  /// All features, as the code sees them that comes with a reload.
  func former() throws(ScriptError) -> [FormerFeature] {
    var features: [FormerFeature] = []
    for (key, declaration) in declarations {
      let fields = declaration.isAmbiguous ? nil : try declaration.defaultKeys()
      features.append(FormerFeature(key: key, version: declaration.version, fields: fields))
    }
    return features
  }

  /// The versions and the fields of these features, as the journal of a durable store keeps them.
  func versions(of keys: Set<FeatureKey>) -> Value {
    if let known = versions[keys] { return known }
    let new = makeVersions(of: keys)
    versions[keys] = new
    return new
  }

  private func makeVersions(of keys: Set<FeatureKey>) -> Value {
    let sorted = keys.sorted { ($0.name, $0.script) < ($1.name, $1.script) }
    return .array(
      Value.List(
        sorted.compactMap { key in
          guard let declaration = declarations[key], !declaration.isAmbiguous else { return nil }
          let fields = ((try? declaration.defaultKeys()) ?? []).sorted()
          return [
            "name": .string(key.name), "script": .string(key.script),
            "version": .integer(Int64(declaration.version)),
            "fields": .array(Value.List(fields.map { .string($0) })),
          ]
        }))
  }

  /// The features that have another version, or new fields, than the former ones.
  ///
  /// - Parameter candidates: the features that a former one may be under another name, or in another script; nil for all.
  func changes(
    since former: [FormerFeature], among candidates: Set<FeatureKey>? = nil, withNewFields: Bool
  ) throws(ScriptError) -> [FeatureKey: FeatureChange] {
    let keys = keys(of: former.map(\.key), among: candidates ?? Set(declarations.keys))
    var changes: [FeatureKey: FeatureChange] = [:]
    for old in former {
      guard let key = keys[old.key], let new = declarations[key] else { continue }
      changes[key] = try new.change(since: old, withNewFields: withNewFields)
    }
    return changes
  }

  /// The keys that former features have now: the same one; else that with their name, and else that in their script, if one
  /// feature on each side has it that is not known by then.
  private func keys(
    of former: [FeatureKey], among candidates: Set<FeatureKey>
  ) -> [FeatureKey: FeatureKey] {
    var keys: [FeatureKey: FeatureKey] = [:]
    for key in former where declarations[key] != nil { keys[key] = key }
    for part in [\FeatureKey.name, \.script] {
      let unknown = Dictionary(grouping: former.filter { keys[$0] == nil }) { $0[keyPath: part] }
      let free = Dictionary(grouping: candidates.subtracting(keys.values)) { $0[keyPath: part] }
      for (value, old) in unknown where old.count == 1 && !value.isEmpty {
        if let new = free[value], new.count == 1 { keys[old[0]] = new[0] }
      }
    }
    return keys
  }

  /// Adds the native function `declareFeature`, with which the prelude's `scripted.feature` records
  /// each feature here.
  func addDeclaring(to natives: LuaTable) throws(ScriptError) {
    // The signature in Lua: declareFeature(name?, place, version?, cancels, on, defaults, shares)
    try natives.define("declareFeature", as: "scripted.feature") { [weak self] arguments in
      guard let self, case .string(let place) = arguments.at(1),
        case .table(let on) = arguments.at(4)
      else { return .values([]) }
      var defaults: LuaTable?
      if case .table(let table) = arguments.at(5) { defaults = table }
      if arguments.at(6).bool == true { haveSharedFields = true }
      let key = FeatureKey(name: arguments.at(0).string, place: place[...])
      versions = [:]
      let known = declarations[key]
      let patterns = Set(try on.entries().compactMap(\.key.string))
      declarations[key] = FeatureDeclaration(
        version: arguments.at(2).int ?? 1, cancelsOnReload: arguments.at(3).bool ?? false,
        patterns: patterns.union(known?.patterns ?? []), defaults: defaults,
        isAmbiguous: known != nil)
      return .values([])
    }
  }
}

extension [FormerFeature] {
  /// Reads ``FeatureDeclarations/versions(of:)``.
  init(recorded: Value) {
    self = (recorded.array ?? []).compactMap { old in
      guard let name = old["name"].string, let script = old["script"].string else { return nil }
      return FormerFeature(
        key: FeatureKey(name: name, script: script), version: old["version"].int,
        fields: old["fields"].array.map { Set($0.compactMap(\.string)) })
    }
  }
}

extension FeatureDeclaration {
  /// What the code changes in states of a former feature; nil for nothing.
  fileprivate func change(
    since old: FormerFeature, withNewFields: Bool
  ) throws(ScriptError) -> FeatureChange? {
    var change = FeatureChange(
      oldVersion: old.version == version ? nil : old.version, version: version)
    if withNewFields, !isAmbiguous, let fields = old.fields {
      change.newFields = try newFields(since: fields)
    }
    return change.oldVersion == nil && change.newFields.isEmpty ? nil : change
  }

  private func newFields(
    since old: Set<String>
  ) throws(ScriptError) -> [(key: String, value: Value)] {
    guard let defaults else { return [] }
    let new = try defaultKeys().subtracting(old)
    guard !new.isEmpty else { return [] }
    let values = try defaults.value(named: "state")
    return new.sorted().map { ($0, values[$0]) }
  }
}
