import LuaBridge

/// By which a feature is known again after a reload.
struct FeatureKey: Hashable, Sendable {
  /// Empty for a feature without.
  let name: String
  let script: String

  /// - Parameter origin: the line that made it, and what: `feature at todos.lua:18`.
  init(name: String?, origin: String) {
    self.init(name: name, place: origin.split(separator: " ", maxSplits: 2).last ?? "")
  }

  /// - Parameter place: the line that made it: `todos.lua:18`.
  init(name: String?, place: Substring) {
    self.name = name ?? ""
    script = String(place.lastIndex(of: ":").map { place[..<$0] } ?? place)
  }
}

/// What a feature of a script says of itself to those who load another one in its place.
struct FeatureNote: Sendable {
  let version: Int
  /// Whether a reload cancels its effects.
  let cancels: Bool
  /// The keys of its `on`.
  let patterns: Set<String>
}

/// The features that the scripts of one VM have made.
final class FeatureNotes {
  private var notes: [FeatureKey: FeatureNote] = [:]

  subscript(key: FeatureKey) -> FeatureNote? { notes[key] }

  /// The versions of those that are of another version in `newer`.
  func versions(otherThanIn newer: FeatureNotes) -> [FeatureKey: Int] {
    notes.filter { key, note in newer[key].map { $0.version != note.version } ?? false }
      .mapValues(\.version)
  }

  /// Adds the function behind `scripted.feature` to what the prelude builds on.
  func addNoting(to natives: LuaTable) throws(ScriptError) {
    // noteFeature(name?, place, version?, cancels, on)
    let note = try natives.vm.makeFunction("scripted.feature") { [weak self] arguments in
      guard let self, case .string(let place) = arguments.at(1),
        case .table(let on) = arguments.at(4)
      else { return .values([]) }
      notes[FeatureKey(name: arguments.at(0).string, place: place[...])] = FeatureNote(
        version: arguments.at(2).int ?? 1, cancels: arguments.at(3).bool ?? false,
        patterns: Set(try on.entries().compactMap(\.key.string)))
      return .values([])
    }
    try natives.set("noteFeature", to: .function(note))
  }
}
