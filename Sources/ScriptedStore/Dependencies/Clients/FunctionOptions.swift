import LuaBridge

/// The table of options that a script passes to a client's function. Unknown names are refused, so
/// that a misspelt option is not ignored.
package struct FunctionOptions {
  /// The function's name in scripts, such as `http.get`.
  private let function: String
  private let values: Value.Object

  /// Throws if `options` is not a table, or has a name that is not in `known`.
  package init(_ options: Value?, of function: String, known: [String]) throws(ScriptError) {
    self.function = function
    guard let options, !options.isNull else {
      values = [:]
      return
    }
    guard let values = options.object else {
      throw ScriptError(
        "the options of '\(function)' must be a table of names, got \(LuaValue(options).typeName)")
    }
    for name in values.keys where !known.contains(name) {
      throw ScriptError(
        "'\(function)' has no option '\(name)'"
          + Suggestion.hint(for: name, in: known, otherwise: "it takes"))
    }
    self.values = values
  }

  /// The error for a bad option.
  package func error(_ name: String, _ problem: String) -> ScriptError {
    ScriptError("bad option '\(name)' to '\(function)' (\(problem))")
  }

  /// The value of an option, also if it is `null`; nil if it was left out.
  package subscript(name: String) -> Value? { values[name] }

  package func string(_ name: String) throws(ScriptError) -> String? {
    try read(name, "string", \.string)
  }

  package func number(_ name: String) throws(ScriptError) -> Double? {
    try read(name, "number", \.double)
  }

  package func boolean(_ name: String) throws(ScriptError) -> Bool? {
    try read(name, "boolean", \.bool)
  }

  package func table(_ name: String) throws(ScriptError) -> Value.Object? {
    try read(name, "table of names", \.object)
  }

  private func read<T>(
    _ name: String, _ expected: String, _ content: (Value) -> T?
  ) throws(ScriptError) -> T? {
    guard let value = values[name] else { return nil }
    if let content = content(value) { return content }
    throw error(name, "\(expected) expected, got \(LuaValue(value).typeName)")
  }

  /// The option `as = "text" | "json" | "base64"`.
  package func format() throws(ScriptError) -> ContentFormat? {
    guard let name = try string("as") else { return nil }
    guard let format = ContentFormat(rawValue: name) else {
      let names = ContentFormat.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw error("as", "\"\(name)\" is none of \(names)")
    }
    return format
  }
}

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
