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

/// What a reload changes in the states of a feature.
struct FeatureChange: Sendable {
  /// The version of the old code; nil if the new code has the same one.
  var oldVersion: Int?
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

  /// The features that have another version in `newer`, or new keys of `state`.
  func changes(
    to newer: FeatureDeclarations, withNewFields: Bool
  ) throws(ScriptError) -> [FeatureKey: FeatureChange] {
    var changes: [FeatureKey: FeatureChange] = [:]
    for (key, old) in declarations {
      let fields = withNewFields && !old.isAmbiguous ? try old.defaultKeys() : nil
      changes[key] = try newer[key]?.change(since: old.version, fields)
    }
    return changes
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

  /// The features that have another version, or new fields, than when a journal has recorded them. A feature whose
  /// script has another name is found by its own name, if that is unique.
  func changes(
    since recorded: Value, withNewFields: Bool
  ) throws(ScriptError) -> [FeatureKey: FeatureChange] {
    var changes: [FeatureKey: FeatureChange] = [:]
    for old in recorded.array ?? [] {
      guard let name = old["name"].string, let script = old["script"].string,
        let key = key(FeatureKey(name: name, script: script)), let new = declarations[key]
      else { continue }
      let fields = withNewFields ? old["fields"].array.map { Set($0.compactMap(\.string)) } : nil
      if let change = try new.change(since: old["version"].int, fields) { changes[key] = change }
    }
    return changes
  }

  private func key(_ old: FeatureKey) -> FeatureKey? {
    if declarations[old] != nil { return old }
    let named = declarations.keys.filter { $0.name == old.name }
    return !old.name.isEmpty && named.count == 1 ? named[0] : nil
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

extension FeatureDeclaration {
  /// What a reload changes in states from a version that has had these fields; nil for nothing.
  fileprivate func change(
    since old: Int?, _ fields: Set<String>?
  ) throws(ScriptError) -> FeatureChange? {
    var change = FeatureChange(oldVersion: old == version ? nil : old)
    if let fields, !isAmbiguous { change.newFields = try newFields(since: fields) }
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
