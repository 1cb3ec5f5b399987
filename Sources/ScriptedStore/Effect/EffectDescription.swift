import LuaBridge

/// An effect that is in flight, for people.
public struct EffectDescription: Sendable, Hashable {
  /// The feature that returned it.
  public let feature: String?
  /// Where its function is: `todos.lua:31`.
  public let origin: String
  /// By which it can be cancelled.
  public let id: Value?
  /// The path of the action that it was returned for; nil for an action that `throttle` holds.
  public let action: String?
  /// The path of the node that it belongs to, as actions have it; empty for the root.
  public let place: String
  /// How long it has been in flight.
  public let seconds: Double
  /// What it waits for now: `clock.sleep`, `http.get`, `effect.all` …
  public let waitingOn: String
}

extension EffectDescription: CustomStringConvertible {
  /// `Search (search.lua:31), id "query", 0.3 s, waits for clock.sleep`
  public var description: String {
    var text = "\(feature ?? "effect") (\(origin))"
    if !place.isEmpty { text += " at \(place)" }
    if let id { text += ", id \(id)" }
    let tenths = (seconds * 10).rounded() / 10
    return text + ", \(tenths) s, waits for \(waitingOn)"
  }
}
