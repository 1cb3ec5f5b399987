/// What to write instead of habits from other languages that Lua compiles, and raises an error for.
enum RuntimeRemedy {
  /// Returns the remedy for a message of Lua; nil if there is none.
  ///
  /// - Parameters:
  ///   - message: such as `attempt to call a nil value (method 'append')`.
  ///   - line: the text of the line on which it was raised.
  static func remedy(for message: String, in line: () -> Substring) -> String? {
    if let name = absentFunction(message) {
      return remedy(forFunction: name)
    }
    // What Lua calls a number in brackets.
    if ["integer index", "?"].contains(where: {
      message == "attempt to index a nil value (field '\($0)')"
    }) {
      return remedy(forElementIn: line())
    }
    if message.hasPrefix("attempt to call a deps value ("), message.hasSuffix(" 'send')") {
      return "this is deps: a handler returns effect.send(\"…\"), and "
        + "effect.run(function(send, deps) … end) has send first"
    }
    if let name = indexedFunction(message),
      [":send", ".send", ":dispatch", ".dispatch"].contains(where: { line().contains(name + $0) })
    {
      return "it is the function that sends: \(name)(\"…\")"
    }
    switch message {
    case "attempt to call a table value (for iterator 'for iterator')":
      return "write 'for index, x in ipairs(list) do', or 'for key, x in pairs(object) do'"
    case "attempt to add a 'string' with a 'string'", "attempt to add a 'string' with a 'number'",
      "attempt to add a 'number' with a 'string'":
      return "write 'a .. b' to join texts"
    default: return nil
    }
  }

  /// The remedy for a function that neither texts nor lists have; nil if there is none.
  private static func remedy(forFunction name: String) -> String? {
    let list = ListRemedy.remedy(for: name)
    guard let text = TextRemedy.remedy(for: name) else {
      return list.map { "a list has no functions of its own; \($0)" }
    }
    return "for a text \(text)" + (list.map { ", for a list \($0)" } ?? "")
  }

  /// The remedy for an element that a list does not have, if the line has one index that is a number.
  private static func remedy(forElementIn line: Substring) -> String? {
    if line.contains("[0]") { return "the indices of a list begin at 1" }
    let indices = line.split(separator: "[").dropFirst().compactMap { part in
      part.firstIndex(of: "]").flatMap { UInt($0 == part.startIndex ? "" : part[..<$0]) }
    }
    guard indices.count == 1 else { return nil }
    return "the list has no element \(indices[0])"
  }

  /// The name of the local that the script indexed, and that is a function.
  private static func indexedFunction(_ message: String) -> String? {
    name(in: message, after: "attempt to index a function value (local '")
  }

  /// The name of the field that the script called as a function, and that is nil.
  private static func absentFunction(_ message: String) -> String? {
    name(in: message, after: "attempt to call a nil value (field '")
      ?? name(in: message, after: "attempt to call a nil value (method '")
  }

  /// The name at the end of a message that begins so: `attempt to … (field 'name')`.
  fileprivate static func name(in message: String, after start: String) -> String? {
    guard message.hasPrefix(start), message.hasSuffix("')") else { return nil }
    return String(message.dropFirst(start.count).dropLast(2))
  }

  /// The remedies by the names of functions, each of which has several.
  fileprivate static func table(_ ways: [(names: [String], remedy: String)]) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: ways.flatMap { way in way.names.map { ($0, way.remedy) } })
  }
}

/// What to write for the functions of lists that other languages have and Lua has not.
package enum ListRemedy {
  private static let remedies = RuntimeRemedy.table([
    (["append", "push", "add", "pushBack"], "write 'table.insert(list, x)'"),
    (["insert"], "write 'table.insert(list, index, x)'"),
    (["remove", "removeAt"], "write 'table.remove(list, index)'"),
    (["pop", "removeLast"], "write 'table.remove(list)'"),
    (["removeFirst", "shift"], "write 'table.remove(list, 1)'"),
    (["count", "length", "len", "size"], "write '#list'"),
    (["isEmpty", "empty"], "write '#list == 0'"),
    (["first"], "write 'list[1]'"),
    (["last"], "write 'list[#list]'"),
    (["get", "at"], "write 'list[index]'"),
    (["sort"], "write 'table.sort(list)'"),
    (["join", "joined"], "write 'table.concat(list, \", \")'"),
    (["contains"], "write 'scripted.list.any(list, fn)'"),
    (["filter"], "write 'scripted.list.filter(list, fn)'"),
    (["map"], "write 'scripted.list.map(list, fn)'"),
    (
      ["each", "enumerated", "forEach", "reduce"],
      "go through it with 'for index, x in ipairs(list) do … end'"
    ),
  ])

  /// The remedy for a function of this name; nil if there is none.
  package static func remedy(for name: String) -> String? { remedies[name] }
}

/// What to write for the functions of texts that other languages have and Lua has not.
enum TextRemedy {
  private static let remedies = RuntimeRemedy.table([
    (["contains", "includes"], "write 'text:find(\"B\", 1, true)'"),
    (["hasPrefix", "startsWith"], "write 'text:sub(1, #start) == start'"),
    (["hasSuffix", "endsWith"], "write 'text:sub(-#ending) == ending'"),
    (["split"], "write 'for part in text:gmatch(\"[^,]+\") do … end'"),
    (["uppercased", "toUpperCase"], "write 'text:upper()'"),
    (["lowercased", "toLowerCase"], "write 'text:lower()'"),
    (["trim", "trimmed", "trimmingCharacters"], "write 'text:match(\"^%s*(.-)%s*$\")'"),
    (["replace", "replacing", "replacingOccurrences"], "write '(text:gsub(\"a\", \"b\"))'"),
    (["count", "length", "size"], "write '#text'"),
    (["isEmpty"], "write 'text == \"\"'"),
  ])

  /// The remedy for a function of this name; nil if there is none.
  static func remedy(for name: String) -> String? { remedies[name] }
}

/// The functions of stock Lua's `os` that scripts do not have, and what to use instead.
package enum AbsentFunctions {
  /// The message about each function to the scripts of features, by its name: `os.getenv`.
  package static let messages = messages("dependency")
  /// The same in a VM that runs no features.
  private static let messagesAlone = messages("global")

  /// The messages for scripts that get an `offer` from the host.
  private static func messages(_ offer: String) -> [String: String] {
    let files = "the host can offer files as a \(offer)"
    let remedies = [
      "execute": "the host can offer what it does as a \(offer)",
      "exit": "only the host can end its process",
      "getenv": "the host can offer the value as a \(offer)",
      "remove": files, "rename": files, "tmpname": files,
      "setlocale": "scripts have the same locale on every host",
    ]
    return Dictionary(
      uniqueKeysWithValues: remedies.map { name, remedy in
        ("os.\(name)", "os.\(name) is not available to scripts; \(remedy)")
      })
  }

  /// Returns the message for an error of Lua that a script caused by a call of such a function; nil
  /// for other errors. Lua names only the field, so the script's text has to name the library.
  ///
  /// - Parameters:
  ///   - error: such as `attempt to call a nil value (field 'getenv')`.
  ///   - runsFeatures: whether the script is one of features.
  ///   - line: the text of the line on which it was raised.
  static func message(
    for error: String, runsFeatures: Bool, in line: () -> Substring
  ) -> String? {
    let start = "attempt to call a nil value (field '"
    guard let name = RuntimeRemedy.name(in: error, after: start).map({ "os.\($0)" }),
      let message = (runsFeatures ? messages : messagesAlone)[name], line().contains(name)
    else { return nil }
    return message
  }
}
