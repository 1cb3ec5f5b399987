// The values of a recording's fields, each with the way back.

import LuaBridge

extension DependencyRead {
  init(recorded: Value) throws(HistoryError) {
    let source: Source? =
      recorded["dependency"].string.map { .dependency($0) }
      ?? recorded["stack"].string.map { .stack($0) } ?? recorded["field"].string.map { .field($0) }
    guard let source else { throw HistoryError("\"reads\" has what is no read: \(recorded)") }
    self.init(source, try Answer(recorded: recorded))
  }
}

extension DependencyRead.Source {
  var field: (key: String, value: Value) {
    switch self {
    case .dependency(let name): ("dependency", .string(name))
    case .stack(let name): ("stack", .string(name))
    case .field(let name): ("field", .string(name))
    }
  }
}

extension DependencyRead.Answer {
  var fields: [(key: String, value: Value)] {
    switch self {
    case .value(nil): [("nothing", true)]
    case .value(let value?): [("value", value)]
    case .values(let values): [("results", .array(Value.List(values.map(Self.result))))]
    case .error(let message, nil): [("error", .string(message))]
    case .error(let message, let value?): [("error", .string(message)), ("value", value)]
    case .opaque: [("opaque", true)]
    }
  }

  private static func result(_ value: Value?) -> Value {
    guard let value else { return ["nothing": true] }
    return ["value": value]
  }

  init(recorded: Value) throws(HistoryError) {
    if let message = recorded["error"].string {
      self = .error(message, recorded.object?["value"])
    } else if let value = recorded.object?["value"] {
      self = .value(value)
    } else if let results = recorded["results"].array {
      self = .values(results.map { $0.object?["value"] })
    } else if recorded["nothing"].bool == true {
      self = .value(nil)
    } else if recorded["opaque"].bool == true {
      self = .opaque
    } else {
      throw HistoryError("there is no answer in \(recorded)")
    }
  }
}

extension EffectNote {
  var recorded: Value {
    var object: Value.Object = ["number": .integer(Int64(number))]
    object["feature"] = feature.map { .string($0) }
    object["origin"] = .string(origin)
    object["id"] = id
    object["action"] = action.map { .string($0) }
    object["place"] = .string(place)
    object["error"] = failure.map { .string($0.message) }
    object["time"] = failure.map { .float($0.time / .seconds(1)) }
    return .object(object)
  }

  /// - Parameter key: the field that has the effect; for the message.
  init(recorded: Value, in key: String) throws(HistoryError) {
    guard let number = recorded["number"].int, let origin = recorded["origin"].string else {
      throw HistoryError("\"\(key)\" has what is no effect: \(recorded)")
    }
    self.init(
      number: number, feature: recorded["feature"].string, origin: origin,
      id: recorded.object?["id"], action: recorded["action"].string,
      place: recorded["place"].string ?? "",
      failure: recorded["error"].string.map {
        EffectFailure(
          message: $0, time: Duration(clampingSeconds: max(0, recorded["time"].double ?? 0)))
      })
  }
}

extension ActionSender {
  var recorded: Value {
    switch self {
    case .handler: "handler"
    case .alarm: "alarm"
    case .effect(let number): .integer(Int64(number))
    }
  }

  init?(recorded: Value) {
    switch recorded {
    case "handler": self = .handler
    case "alarm": self = .alarm
    default:
      guard let number = recorded.int else { return nil }
      self = .effect(number)
    }
  }
}

extension RuntimeWarning {
  var recorded: Value {
    var object: Value.Object = ["kind": .string(kind.rawValue), "message": .string(message)]
    object["origin"] = .string(origin)
    object["action"] = action.map { .string($0) }
    return .object(object)
  }

  /// Reads a recorded warning. A kind that this version does not have becomes `effectError`.
  init(recorded: Value) {
    self.init(
      kind: recorded["kind"].string.flatMap(Kind.init) ?? .effectError,
      message: recorded["message"].string ?? "", origin: recorded["origin"].string ?? "?",
      action: recorded["action"].string)
  }
}

extension ScriptError {
  var recorded: Value {
    var object: Value.Object = ["message": .string(message)]
    object["script"] = script.map { .string($0) }
    object["line"] = line.map { .integer(Int64($0)) }
    object["feature"] = feature.map { .string($0) }
    return .object(object)
  }

  init(recorded: Value) {
    self.init(
      recorded["message"].string ?? "\(recorded)", script: recorded["script"].string,
      line: recorded["line"].int)
    feature = recorded["feature"].string
  }
}

extension DurableHeader {
  /// Nil if the recording is that of a history.
  init?(recorded header: Value) {
    guard let wall = header["wall"].double, wall.isFinite, let code = header["code"].string else {
      return nil
    }
    self.init(
      wall: wall, code: code, lastEffect: max(0, header["lastEffect"].int ?? 0),
      nextID: Int64(max(0, header["nextID"].int ?? 0)),
      requests: (header["requests"].array ?? []).compactMap { pair in
        guard let id = pair[0].string, let number = pair[1].int else { return nil }
        return Request(id: id, number: number, receipt: pair[2].string.flatMap { Receipt($0) })
      }, features: header["features"])
  }
}

extension DurableFields {
  /// Nil if the line is one of a history's recording.
  init?(recorded line: Value) {
    guard let wall = line["wall"].double, wall.isFinite else { return nil }
    self.init(
      wall: wall, request: line["request"].string, code: line["code"].string,
      nextID: line["nextID"].int.map { Int64($0) }, features: line.object?["features"])
  }
}
