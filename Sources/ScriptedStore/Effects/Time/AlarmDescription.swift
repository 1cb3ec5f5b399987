import LuaBridge

/// A description of an alarm that a store has set.
public struct AlarmDescription: Sendable, Hashable {
  /// The feature that has set it.
  public let feature: String?
  /// Identifies it at its place.
  public let id: Value
  /// As the store's feature gets it.
  public let action: Action
  /// The path of the place that it belongs to, as in actions; empty for the root.
  public let place: String
  /// The time until then, by its clock.
  public let left: Duration
  /// Its date in seconds since 1970, if it was set for a date.
  public let date: Double?
}

extension AlarmDescription: CustomStringConvertible {
  /// `Game at games[2], alarm "turn", games[2].turnOver in 30 s`
  public var description: String {
    var text = feature ?? "a reducer"
    if !place.isEmpty { text += " at \(place)" }
    let milliseconds = (left / .milliseconds(1)).rounded()
    let seconds =
      milliseconds.remainder(dividingBy: 1000) == 0
      ? "\(Int64(exactly: milliseconds / 1000) ?? .max)" : "\(milliseconds / 1000)"
    return text + ", alarm \(id), \(action) in \(seconds) s"
  }
}

extension Alarm {
  var description: AlarmDescription {
    var date: Double?
    if case .at(let seconds) = note.due { date = seconds }
    return AlarmDescription(
      feature: note.feature, id: note.id, action: note.action, place: place.path,
      left: Duration(clampingSeconds: secondsLeft), date: date)
  }
}

extension StoreAlarms {
  /// The alarms in the order of their times.
  var byTime: [Alarm] { all.sorted { ($0.secondsLeft, $0.number) < ($1.secondsLeft, $1.number) } }
}
