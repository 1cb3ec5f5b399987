import LuaBridge

extension ScriptError {
  /// Something that the world did and no script could have avoided: a table is raised, whose `code` tells
  /// it from others, and whose `message` says it.
  package static func failure(
    _ code: String, _ message: String, _ details: Value.Object = [:]
  ) -> ScriptError {
    var value: Value.Object = ["code": .string(code), "message": .string(message)]
    for (name, detail) in details { value[name] = detail }
    return ScriptError(message, value: .object(value))
  }
}
