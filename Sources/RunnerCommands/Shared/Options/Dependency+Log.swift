import ScriptValue
import ScriptedStore

extension Dependency {
  /// `log` as lines on standard error, without the time and the source location that swift-log
  /// adds.
  static var standardErrorLog: Dependency {
    func level(_ name: String) -> Dependency {
      .function("message", "fields") { (message: Value, fields: Value?) in
        let text = message.string ?? "\(message)"
        StandardStreams.error("\(name): \(text)\(fields.map { " \($0)" } ?? "")")
      }
    }
    return .client([
      "debug": level("debug"), "info": level("info"), "warning": level("warning"),
      "error": level("error"),
    ])
  }
}
