import LuaBridge

extension ScriptError {
  /// A failure that no script could have avoided. Scripts get a table whose `code` identifies the
  /// failure and whose `message` describes it, with `details` as further fields.
  package static func failure(
    _ code: String, _ message: String, _ details: Value.Object = [:]
  ) -> ScriptError {
    var value: Value.Object = ["code": .string(code), "message": .string(message)]
    for (name, detail) in details { value[name] = detail }
    return ScriptError(message, value: .object(value))
  }
}
