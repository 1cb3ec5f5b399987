import ScriptValue
import ScriptedStore

/// The result of a replay, formatted as text or JSON.
struct ReplayOutput {
  let recording: Recording
  /// The number of actions in the recording.
  let actionCount: Int
  let changed: [String]
  let report: ReplayReport

  var text: TerminalText {
    let style = TextStyle(takesColor: StandardStreams.outputTakesColor)
    var text: TerminalText = ""
    if !changed.isEmpty {
      let names = changed.joined(separator: ", ")
      text += "\(style.dim("not the same as when it was recorded: \(names)"))\n"
    }
    if let difference = report.difference {
      text += "\(style.red("not as recorded"))\(style.dim(" (- recorded, + now)"))\n"
      text += "\(TerminalText(of: difference, style))\n"
    } else {
      let actions = count(report.count, "action")
      text += "\(style.green("as recorded")): \(actions) of \(recording.feature)\n"
    }
    return text
  }

  var json: [UInt8] {
    var object: Value.Object = [
      "feature": .string(recording.feature), "actions": .integer(Int64(actionCount)),
      "reduced": .integer(Int64(report.count)),
      "changed": .array(Value.List(changed.map { .string($0) })),
    ]
    if let difference = report.difference {
      var fields: Value.Object = [
        "n": .integer(Int64(difference.number)), "source": .string(difference.source.rawValue),
      ]
      fields["feature"] = difference.feature.map { .string($0) }
      fields["action"] = difference.action.value
      fields["recordedError"] = difference.expectedError.map { .string($0.displayed) }
      fields["error"] = difference.actualError.map { .string($0.displayed) }
      fields["patch"] = try? JSONPatch.diff(from: difference.expected, to: difference.actual)
        .document
      object["difference"] = .object(fields)
    }
    return Array(TerminalJSON.text(Value.object(object).json() + "\n").utf8)
  }
}
