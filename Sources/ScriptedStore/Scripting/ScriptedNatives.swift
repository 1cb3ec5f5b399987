import LuaBridge
import ScriptView

/// The Swift functions behind the `scripted` module, except those of effects (``EffectNatives``).
enum ScriptedNatives {
  /// Adds the functions to the table that the prelude gets.
  static func add(to table: LuaTable) throws(ScriptError) {
    func define(_ key: String, as name: String, _ body: @escaping HostBody) throws(ScriptError) {
      try table.define(key, as: name, tablesAsValues: true, body)
    }
    try define("snapshot", as: "value") { arguments in
      let value = arguments.at(0)
      guard value.isNil || Value(value) != nil else {
        throw ScriptError(
          "scripted.snapshot takes a value of state, not \(value.typeNameWithArticle)")
      }
      return .values([value])
    }
    try define("checkState", as: "state") { .values([$0.at(0)]) }
    try define("checkDefault", as: "default") { .values([$0.at(0)]) }
    try define("equals", as: "value") { .values([.boolean(equals($0.at(0), $0.at(1)))]) }
    try define("jsonEncode", as: "value", encode)
    try define("jsonDecode", as: "text", decode)
    try define("action", as: "payload") { .values([.value(try action($0.at(0), $0.at(1)).value)]) }
    try define("actionWithIDs", as: "payload", actionWithIDs)
    try define("nearest", as: "names", nearest)
    try define("listRemedy", as: "name") { arguments in
      .values([arguments.at(0).string.flatMap(ListRemedy.remedy).map { .string($0) } ?? .nil])
    }
    try define("checkPattern", as: "pattern", checkPattern)
    // iconFault(text): why a text is no icon; nil if it is one.
    try define("iconFault", as: "text") { arguments in
      .values([arguments.at(0).string.flatMap(ViewIcon.fault).map { .string($0) } ?? .nil])
    }
    // shortcutFault(text): why a text is no shortcut; nil if it is one.
    try define("shortcutFault", as: "text") { arguments in
      .values([arguments.at(0).string.flatMap(ViewShortcut.fault).map { .string($0) } ?? .nil])
    }
    // shapeFault(shape): what is wrong with the data of a shape; nil if nothing is.
    try define("shapeFault", as: "shape") { arguments in
      guard let shape = Value(arguments.at(0)) else {
        return .values([.string("holds something that is no data; actions are data, as \"save\"")])
      }
      return .values([ViewShape.fault(of: shape).map { .string($0) } ?? .nil])
    }
    // viewElements(): the elements of views, and what other libraries call them and their properties.
    try define("viewElements", as: "elements") { _ in
      .values([
        .value(ViewElement.specification), .value(ViewElement.counterparts),
        .value(ViewElement.propertyCounterparts),
      ])
    }
  }

  private static func equals(_ a: LuaValue, _ b: LuaValue) -> Bool {
    if case .nil = a, case .nil = b { return true }
    guard let a = Value(a), let b = Value(b) else { return false }
    return a == b
  }

  private static func encode(_ arguments: [LuaValue]) throws -> HostResult {
    guard let value = Value(arguments.at(0)) else {
      throw ScriptError(
        "json.encode takes a value of state, not \(arguments.at(0).typeNameWithArticle)")
    }
    return .values([.string(value.json())])
  }

  private static func decode(_ arguments: [LuaValue]) throws -> HostResult {
    guard case .string(let text) = arguments.at(0) else {
      throw ScriptError("json.decode takes a string, not \(arguments.at(0).typeNameWithArticle)")
    }
    do {
      return .values([LuaValue(try Value(json: text))])
    } catch {
      throw ScriptError(
        "malformed JSON at line \(error.line), column \(error.column): \(error.message)")
    }
  }

  /// An action from its table, or from its path and payload.
  private static func action(_ what: LuaValue, _ payload: LuaValue) throws -> Action {
    try Action(fromScript: Value(what), payload: try payload.payload())
  }

  /// actionWithIDs(path, ids?, payload?): the function behind
  /// `scripted.action("orders[*].step.add", { id }, payload?)`.
  private static func actionWithIDs(_ arguments: [LuaValue]) throws -> HostResult {
    guard case .string(let path) = arguments.at(0) else {
      throw ScriptError(
        "bad argument #1 to 'scripted.action' (path expected, got \(arguments.at(0).typeName))")
    }
    var ids: [Value] = []
    switch arguments.at(1) {
    case .nil: break
    case .value(.array(let list)): ids = Array(list)
    case let other:
      throw ScriptError(
        "bad argument #2 to 'scripted.action' (list of ids expected, got \(other.typeName); the payload is "
          + "the third)")
    }
    let action = try ActionPath(path).action(payload: try arguments.at(2).payload(), ids: ids)
    return .values([.value(action)])
  }

  private static func nearest(_ arguments: [LuaValue]) throws -> HostResult {
    guard case .string(let name) = arguments.at(0), case .value(.array(let names)) = arguments.at(1)
    else { return .values([.nil]) }
    let nearest = Suggestion.nearest(to: name, in: names.compactMap(\.string))
    return .values([nearest.map { .string($0) } ?? .nil])
  }

  /// checkPattern(key): the reason why a key of `on` is not a valid pattern, or nil if it is valid.
  private static func checkPattern(_ arguments: [LuaValue]) throws -> HostResult {
    guard case .string(let pattern) = arguments.at(0) else { return .values([.nil]) }
    do {
      _ = try ActionPath(pattern)
      return .values([.nil])
    } catch {
      return .values([.string(error.message)])
    }
  }
}
