import LuaBridge

/// A description of an effect in flight, for people.
public struct EffectDescription: Sendable, Hashable {
  /// The feature that returned the effect.
  public let feature: String?
  /// The source line of its function, as `todos.lua:31`; of an effect that has failed, that of the handler that returned it.
  public let origin: String
  /// The id by which it can be cancelled; nil if it has none.
  public let id: Value?
  /// The path of the action for which it was returned; nil for an action that `throttle` holds.
  public let action: String?
  /// The path of the place that it belongs to, as in actions; empty for the root.
  public let place: String
  /// How long it has been in flight.
  public let duration: Duration
  /// What it waits for now: `clock.sleep`, `http.get`, `effect.all` …
  public let waitingOn: String
}

extension EffectDescription: CustomStringConvertible {
  /// `Search (search.lua:31), id "query", 0.3 s, waits for clock.sleep`
  public var description: String {
    var text = "\(feature ?? "effect") (\(origin))"
    if !place.isEmpty { text += " at \(place)" }
    if let id { text += ", id \(id)" }
    let tenths = (duration / .milliseconds(100)).rounded() / 10
    return text + ", \(tenths) s, waits for \(waitingOn)"
  }
}
