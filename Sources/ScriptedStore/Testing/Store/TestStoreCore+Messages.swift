/// The failures of statements, as text.
extension TestStoreCore {
  var unreceived: String {
    """
    \(Self.count(unasserted.count, "action", "was", "were")) received and not asserted:
    \(Self.list(unasserted))

    Assert each by receive(…), or leave them out: by skipReceivedActions() after what let them arrive, or by an \
    exhaustivity of "off" for the whole store.
    """
  }

  func unexpected(_ action: Action, _ matcher: ActionMatcher) -> String {
    if let difference = matcher.difference(from: action) {
      return """
        the received action \(action.path) is not what was expected (- expected, + actual):

        \(difference)
        """
    }
    var message = "expected \(matcher), but received \(action)"
    if !unasserted.isEmpty { message += "\n\nReceived after it:\n\(Self.list(unasserted))" }
    return message
  }

  package func notReceived(_ matcher: ActionMatcher) -> Outcome {
    var message = "expected to receive \(matcher), but "
    if unasserted.isEmpty {
      message += "no action was received"
    } else {
      message += "none of the received actions is one:\n\(Self.list(unasserted))"
    }
    let effects = inFlight
    if effects.isEmpty {
      message += "\n\nNo effect is in flight that could send one."
    } else {
      message += "\n\nIn flight:\n\(Self.list(effects))\n\n\(Self.remedy(effects))."
    }
    if let alarms = alarmList {
      message += "\n\nSet alarms:\n\(alarms)\n\nclock:advance(…) lets their time come."
    }
    return .failure(message)
  }

  /// The failure if effects have not ended, or those that the action with this key started, for which the test has waited.
  package func unfinished(_ key: JobKey?, after seconds: Double) -> Outcome? {
    if hasFinished(key) { return nil }
    let effects = key.map { inFlight(of: $0) } ?? inFlight
    let time = seconds > 0 && !isWaitingForTest ? " after \(seconds) s" : ""
    return .failure(
      """
      effects were expected to finish, but \(Self.count(effects.count, "effect", "is", "are")) in flight\(time):
      \(Self.list(effects))

      \(Self.remedy(effects)).
      """)
  }

  func inFlightAtEnd(_ effects: [EffectDescription]) -> String {
    """
    \(Self.count(effects.count, "effect", "is", "are")) still in flight at the end of the test:
    \(Self.list(effects))

    \(Self.remedy(effects)), or leave them out by skipInFlightEffects().
    """
  }

  /// The failure of a test at whose end alarms are set; nil if there are none.
  var alarmsAtEnd: String? {
    guard let list = alarmList else { return nil }
    return """
      \(Self.count(unassertedAlarms.count, "alarm", "is", "are")) still set at the end of the test:
      \(list)

      Let time pass by clock:advance(…) and receive what comes, or cancel them (effect.cancelAlarm). If they are to be set \
      then, assert that by reading store.alarms, or leave them out by skipAlarms().
      """
  }

  /// The unasserted alarms as lines; nil if there are none.
  var alarmList: String? {
    let alarms = unassertedAlarms
    return alarms.isEmpty ? nil : Self.lines(alarms[...]) { "\($0)" }
  }

  /// The advice for effects that are in flight.
  private static func remedy(_ effects: [EffectDescription]) -> String {
    let areTimed = effects.map(\.waitingOn).contains {
      $0.hasPrefix("clock.") || EffectKind(rawValue: $0)?.method?.isTimed == true
    }
    return areTimed
      ? "Let time pass by clock:advance(…), or cancel them" : "Let them end, or cancel them"
  }

  static func list(_ received: ArraySlice<Received>) -> String {
    lines(received) { received in
      let record = received.record
      var line = "\(record.action)"
      if let feature = record.feature { line += " (from an effect of \(feature))" }
      if let error = record.error { line += ", which raised \(error)" }
      return line
    }
  }

  private static func list(_ effects: [EffectDescription]) -> String {
    lines(effects[...]) { effect in
      effect.action.map { "\(effect), returned for \($0)" } ?? "\(effect)"
    }
  }

  static func lines<Item>(_ items: ArraySlice<Item>, _ text: (Item) -> String) -> String {
    var lines = items.prefix(20).map { "  - \(text($0))" }
    if items.count > 20 { lines.append("  - and \(items.count - 20) more") }
    return lines.joined(separator: "\n")
  }

  private static func count(_ count: Int, _ noun: String, _ one: String, _ many: String) -> String {
    count == 1 ? "1 \(noun) \(one)" : "\(count) \(noun)s \(many)"
  }
}
