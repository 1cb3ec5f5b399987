import LuaBridge

/// What a reload has done.
public struct ReloadReport: Sendable {
  /// A feature whose states were brought into another shape.
  public struct Migration: Sendable, Hashable {
    /// The feature or reducer that the store was made of.
    public let store: String
    /// The feature that migrated.
    public let feature: String
    public let from: Int
    public let to: Int
    /// In how many places of states of such stores it sits.
    public let places: Int
  }

  /// What became of an effect that was in flight.
  public struct EffectOutcome: Sendable, Hashable {
    public enum Outcome: String, Sendable, Hashable {
      /// It goes on until it ends; what it sends reaches the new code.
      case finishesOnOldCode
      /// Its feature has `reload = "cancel"`.
      case cancelled
    }

    public let description: EffectDescription
    public let outcome: Outcome
  }

  /// Counts up with each reload that has changed something; ``ScriptHost/generation``.
  public let generation: Int
  /// Scripts whose text is another one, and new ones that somebody had missed; sorted.
  public let changed: [String]
  /// These, and all that require them, directly or not; with those that are there for the first time. Sorted.
  public let reloaded: [String]
  /// Scripts that were loaded and are gone; sorted.
  public let removed: [String]
  /// How many stores run the new code.
  public let stores: Int
  public let migrations: [Migration]
  /// Of all stores, in the order in which they were started.
  public let effects: [EffectOutcome]
  /// ``RuntimeWarning/Kind/vanishedHandler`` and ``RuntimeWarning/Kind/lostLocal``, which the host's `onWarning` gets
  /// too.
  public let warnings: [RuntimeWarning]
  /// From the call, or the event of the file system, until all stores ran the new code.
  public let seconds: Double

  /// Whether any store runs other code than before.
  public var hasChanges: Bool { !(changed.isEmpty && reloaded.isEmpty && removed.isEmpty) }
}

extension ReloadReport: CustomStringConvertible {
  /// `reloaded todo.lua, todos.lua in 3.1 ms (3 stores, 2 effects on old code)`
  public var description: String {
    guard hasChanges else { return "nothing to reload" }
    let names = reloaded + removed.map { "\($0) (removed)" }
    let tenths = (seconds * 10_000).rounded() / 10
    var text = "reloaded \(names.joined(separator: ", ")) in \(tenths) ms"
    var details = ["\(stores) \(stores == 1 ? "store" : "stores")"]
    let cancelled = effects.count { $0.outcome == .cancelled }
    if effects.count > cancelled { details.append("\(effects.count - cancelled) effects on old code") }
    if cancelled > 0 { details.append("\(cancelled) cancelled") }
    let places = migrations.reduce(0) { $0 + $1.places }
    if places > 0 { details.append("\(places) migrated") }
    text += " (\(details.joined(separator: ", ")))"
    return text
  }
}

/// Why a reload was refused. The old code runs on as if nothing had been tried.
public struct ReloadError: Error, Sendable {
  /// What is wrong, the same in no two of them.
  public let errors: [ScriptError]
  /// Scripts whose text is another one than the one that runs; sorted.
  public let changed: [String]
  /// Tells texts that were tried apart from others.
  let attempt: Int

  init(_ errors: [ScriptError], changed: [String] = [], attempt: Int = 0) {
    self.errors = errors
    self.changed = changed
    self.attempt = attempt
  }

  /// All of it, a line each.
  public var message: String { errors.map(\.description).joined(separator: "\n") }
}

extension ReloadError: CustomStringConvertible {
  public var description: String { "the scripts were not reloaded: \(message)" }
}
