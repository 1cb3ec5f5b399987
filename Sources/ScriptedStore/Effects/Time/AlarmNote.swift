import LuaBridge

/// An alarm as data: what a recording has of it.
struct AlarmNote: Sendable, Hashable {
  /// Identifies an alarm in its store.
  struct Key: Sendable, Hashable {
    /// The steps to the place to which it belongs, with the keys of elements; empty for the root.
    let place: [ActionStep]
    let id: Value
  }

  let key: Key
  /// The feature that has set it.
  let feature: String?
  /// As the root gets it.
  let action: Action
  let transaction: Value?
  let due: AlarmRequest.Due
  /// The date when it was set, in seconds since 1970.
  let setAt: Double

  var id: Value { key.id }

  /// The date of its time, in seconds since 1970.
  var date: Double {
    switch due {
    case .after(let seconds): setAt + seconds
    case .at(let date): date
    }
  }

  /// The seconds from when it was set to its time.
  var seconds: Double {
    switch due {
    case .after(let seconds): seconds
    case .at(let date): date - setAt
    }
  }
}

extension AlarmNote.Key {
  var recorded: Value {
    var object: Value.Object = ["id": id]
    if !place.isEmpty {
      object["place"] = .array(
        Value.List(
          place.map { step in .array([.string(step.type)] + (step.id.map { [$0] } ?? [])) }))
    }
    return .object(object)
  }

  init(recorded: Value) throws(ScriptError) {
    guard let id = recorded.object?["id"] else { throw AlarmNote.refusal(of: recorded) }
    var steps: [ActionStep] = []
    for step in recorded["place"].array ?? [] {
      guard let parts = step.array, let type = parts.first?.string, parts.count <= 2 else {
        throw AlarmNote.refusal(of: recorded)
      }
      // A literal nil would be the value null.
      steps.append(ActionStep(type: type, id: parts.count == 2 ? .some(parts[1]) : .none))
    }
    self.init(place: steps, id: id)
  }
}

extension AlarmNote {
  var recorded: Value {
    guard case .object(var object) = key.recorded else { return .null }
    object["feature"] = feature.map { .string($0) }
    object["action"] = action.value
    object["transaction"] = transaction
    switch due {
    case .after(let seconds): object["seconds"] = .float(seconds)
    case .at(let date): object["at"] = .float(date)
    }
    object["set"] = .float(setAt)
    return .object(object)
  }

  init(recorded: Value) throws(ScriptError) {
    let due: AlarmRequest.Due? =
      recorded["seconds"].double.map { .after($0) } ?? recorded["at"].double.map { .at($0) }
    guard let due, let set = recorded["set"].double,
      let action = try? Action(recorded["action"])
    else { throw AlarmNote.refusal(of: recorded) }
    self.init(
      key: try Key(recorded: recorded), feature: recorded["feature"].string, action: action,
      transaction: recorded.object?["transaction"], due: due, setAt: set)
  }

  fileprivate static func refusal(of recorded: Value) -> ScriptError {
    ScriptError("this is no alarm of a recording: \(ValuePreview.text(of: recorded, width: 200))")
  }
}
