import LuaBridge

/// What a reload did.
public struct ReloadReport: Sendable {
  /// A feature whose states were migrated to another version.
  public struct Migration: Sendable, Hashable {
    /// The feature or reducer that the store was made of.
    public let store: String
    /// The feature that was migrated.
    public let feature: String
    public let from: Int
    public let to: Int
    /// How often the feature's state occurs in the states of these stores: the number of calls of
    /// `migrate`.
    public internal(set) var places: Int
  }

  /// A key of a feature's `state` that the old code did not have. Every state of the feature that
  /// lacked it got the default.
  public struct AddedField: Sendable, Hashable {
    /// The feature or reducer that the store was made of.
    public let store: String
    /// The feature with the new key.
    public let feature: String
    public let key: String
    /// The number of states that got the default.
    public internal(set) var places: Int
  }

  /// What a reload did with an effect that was in flight.
  public struct EffectOutcome: Sendable, Hashable {
    public enum Outcome: String, Sendable, Hashable {
      /// The effect runs until it ends. The actions that it sends reach the new code.
      case finishesOnOldCode
      /// The effect was cancelled: its feature has `reload = "cancel"`, a migration has taken its child out of the
      /// state, or there is no memory for the old code.
      case cancelled
    }

    public let description: EffectDescription
    public let outcome: Outcome
  }

  /// The ``ScriptHost/generation`` after the reload. It counts up with each reload that changed
  /// something.
  public let generation: Int
  /// Scripts whose text changed, and new scripts that a `require` did not find before; sorted.
  public let changed: [String]
  /// The changed scripts, all scripts that require them directly or indirectly, and scripts that
  /// are loaded for the first time; sorted.
  public let reloaded: [String]
  /// Scripts that were loaded before and no longer exist; sorted.
  public let removed: [String]
  /// The number of stores that run the new code.
  public let stores: Int
  public let migrations: [Migration]
  public let addedFields: [AddedField]
  /// The effects in flight of all stores, in the order in which they were started.
  public let effects: [EffectOutcome]
  /// The warnings ``RuntimeWarning/Kind/vanishedHandler``, ``RuntimeWarning/Kind/lostLocal`` and
  /// ``RuntimeWarning/Kind/sharedState``.
  /// The host's `onWarning` gets them too.
  public let warnings: [RuntimeWarning]
  /// The time from the call, or from the event of the file system, until all stores ran the new code.
  public let duration: Duration

  /// Whether any script was changed, reloaded or removed.
  public var hasChanges: Bool { !(changed.isEmpty && reloaded.isEmpty && removed.isEmpty) }
}

extension ReloadReport {
  /// The duration in milliseconds, with one decimal.
  package var milliseconds: Double { (duration / .microseconds(100)).rounded() / 10 }
}

extension ReloadReport: CustomStringConvertible {
  /// For example `reloaded todo.lua, todos.lua in 3.1 ms (3 stores, 2 effects on old code)`.
  public var description: String {
    guard hasChanges else { return "nothing to reload" }
    let names = reloaded + removed.map { "\($0) (removed)" }
    var text = "reloaded \(names.joined(separator: ", ")) in \(milliseconds) ms"
    var details = ["\(stores) \(stores == 1 ? "store" : "stores")"]
    let cancelled = effects.count { $0.outcome == .cancelled }
    if effects.count > cancelled {
      details.append("\(effects.count - cancelled) effects on old code")
    }
    if cancelled > 0 { details.append("\(cancelled) cancelled") }
    let places = migrations.reduce(0) { $0 + $1.places }
    if places > 0 { details.append("\(places) migrated") }
    let keys = Set(addedFields.map(\.key)).sorted()
    if !keys.isEmpty { details.append("new in the state: \(keys.joined(separator: ", "))") }
    text += " (\(details.joined(separator: ", ")))"
    return text
  }
}

/// Why a reload was refused. The old code continues as if there had been no attempt.
public struct ReloadError: Error, Sendable {
  /// The errors, each once.
  public let errors: [ScriptError]
  /// Scripts whose text differs from the loaded one; sorted.
  public let changed: [String]
  /// A hash of the texts that were tried. It distinguishes a new attempt from a repeated one.
  let textsHash: Int

  init(_ errors: [ScriptError], changed: [String] = [], textsHash: Int = 0) {
    self.errors = errors
    self.changed = changed
    self.textsHash = textsHash
  }

  init(_ error: ScriptError) { self.init([error]) }

  /// The descriptions of all errors, one per line.
  public var message: String { errors.map(\.description).joined(separator: "\n") }
}

extension ReloadError: CustomStringConvertible {
  public var description: String { "the scripts were not reloaded: \(message)" }
}
