import LuaSyntax
import ScriptValue

/// The annotations of one script: classes and aliases, and which types fields and parameters have.
struct ScriptAnnotations {
  struct Class {
    let name: String
    let parent: String?
    var fields: [LuaType.Field] = []
    let line: Int
  }

  struct Alias {
    let name: String
    var type: LuaType
    let line: Int
  }

  /// The script's name, relative to the root.
  let script: String
  private(set) var classes: [Class] = []
  private(set) var aliases: [Alias] = []
  /// The names in `require "…"`.
  private(set) var requires: [String] = []
  private var tokens: [(token: LuaLexer.Token, line: Int)] = []
  /// What follows `---` in comments, by line.
  private var comments: [Int: String] = [:]
  private var linesWithCode: Set<Int> = []

  /// - Throws: An error with the line of an annotation that cannot be read.
  init(_ source: [UInt8], script: String) throws(TypesError) {
    self.script = script
    var lexer = LuaLexer(source)
    do throws(LuaSyntaxError) {
      while true {
        let (token, position) = try lexer.next()
        if token == .end { break }
        tokens.append((token, position.line))
        linesWithCode.insert(position.line)
      }
    } catch {
      throw TypesError(
        "the text ends inside of a string or a comment",
        at: SourceLine(script: script, line: error.position.line))
    }
    for (comment, line) in zip(lexer.comments, lexer.commentLines) where comment.hasPrefix("-") {
      comments[line] = String(comment.dropFirst()).trimmed
    }
    findRequires()
    try readDeclarations()
  }

  private mutating func findRequires() {
    for index in tokens.indices where tokens[index].token == .name("require") {
      for case .string(let name) in tokens[(index + 1)...].prefix(2).map(\.token) {
        requires.append(name)
        break
      }
    }
  }

  private mutating func readDeclarations() throws(TypesError) {
    var current: Class?
    var previous = 0
    for line in comments.keys.sorted() where !linesWithCode.contains(line) {
      let text = comments[line] ?? ""
      if line != previous + 1, let ended = current {
        classes.append(ended)
        current = nil
      }
      previous = line
      if let rest = text.after("@class") {
        if let ended = current { classes.append(ended) }
        current = try declaredClass(rest, line)
      } else if let rest = text.after("@field"), current != nil {
        if let field = try field(rest, line) { current?.fields.append(field) }
      } else if let rest = text.after("@alias") {
        try declareAlias(rest, line)
      } else if text.hasPrefix("|"), let last = aliases.indices.last {
        let member = try type(text.dropFirst(), line)
        if case .union(let members) = aliases[last].type {
          aliases[last].type = .union(members + [member])
        }
      }
    }
    if let current { classes.append(current) }
  }

  private func declaredClass(_ text: String, _ line: Int) throws(TypesError) -> Class {
    var parser = LuaTypeParser(text.after("(exact)") ?? text, line: line)
    let name = parser.word()
    guard !name.isEmpty else { throw error("@class has no name", line) }
    guard parser.take(":") else { return Class(name: name, parent: nil, line: line) }
    parser.skipSpace()
    return Class(name: name, parent: parser.word(), line: line)
  }

  /// Reads `name type`, `name? type` and `["any key"] type`. Nil for a field of all keys, `[string]`.
  private func field(_ text: String, _ line: Int) throws(TypesError) -> LuaType.Field? {
    let words = ["public ", "private ", "protected ", "package "]
    let text = words.lazy.compactMap { text.after($0) }.first ?? text
    var name: String
    var rest: Substring
    if text.hasPrefix("["), let close = text.firstIndex(of: "]") {
      let key = text[text.index(after: text.startIndex)..<close]
      guard let quote = key.first, quote == "\"" || quote == "'" else { return nil }
      name = String(key.dropFirst().dropLast())
      rest = text[text.index(after: close)...]
    } else {
      name = String(text.prefix { !$0.isWhitespace && $0 != "?" })
      rest = text.dropFirst(name.count)
    }
    guard !name.isEmpty else { throw error("@field has no name", line) }
    let isOptional = rest.first == "?"
    if isOptional { rest = rest.dropFirst() }
    let type = try type(rest, line)
    return LuaType.Field(name: name, type: isOptional ? .optional(type) : type, line: line)
  }

  private mutating func declareAlias(_ text: String, _ line: Int) throws(TypesError) {
    var parser = LuaTypeParser(text, line: line)
    let name = parser.word()
    guard !name.isEmpty else { throw error("@alias has no name", line) }
    let rest = parser.rest.trimmed
    let type = rest.isEmpty ? LuaType.union([]) : try type(rest, line)
    aliases.append(Alias(name: name, type: type, line: line))
  }

  private func type(_ text: some StringProtocol, _ line: Int) throws(TypesError) -> LuaType {
    var parser = LuaTypeParser(text, line: line)
    do throws(LuaTypeParser.Fault) {
      return try parser.type()
    } catch {
      throw self.error(
        "the annotation '\(String(text).trimmed)' is no type: \(error.message)", line)
    }
  }

  private func error(_ message: String, _ line: Int) -> TypesError {
    TypesError(message, at: SourceLine(script: script, line: line))
  }

  // MARK: What belongs to a line of code

  /// The type in `---@type T` behind a line of code, or in the lines of comments right above it.
  func type(at line: Int) throws(TypesError) -> (type: LuaType, line: Int)? {
    for (text, line) in annotations(of: line) {
      if let rest = text.after("@type") { return (try type(rest, line), line) }
    }
    return nil
  }

  /// The type of a parameter, from `---@param name T` above a function.
  func parameter(_ name: String, at line: Int) throws(TypesError) -> (type: LuaType, line: Int)? {
    for (text, line) in annotations(of: line) {
      guard let rest = text.after("@param"), rest.hasPrefix(name) else { continue }
      let type = rest.dropFirst(name.count)
      guard let next = type.first, next.isWhitespace || next == "?" else { continue }
      return (try self.type(next == "?" ? type.dropFirst() : type, line), line)
    }
    return nil
  }

  private func annotations(of line: Int) -> [(text: String, line: Int)] {
    var found = comments[line].map { [($0, line)] } ?? []
    var above = line - 1
    while !linesWithCode.contains(above), let text = comments[above] {
      found.append((text, above))
      above -= 1
    }
    return found
  }

  // MARK: Code

  /// Where a field of a state is written.
  struct FieldPlace: Comparable {
    let line: Int
    /// The fields of one line have their order in it.
    let index: Int

    static func < (a: FieldPlace, b: FieldPlace) -> Bool { a.index < b.index }
  }

  /// The line of the field `state` in the first table at or after `line`, and the places of the state's
  /// own fields if it is written there.
  func state(from line: Int) -> (line: Int, fields: [String: FieldPlace])? {
    guard let start = tokens.firstIndex(where: { $0.line >= line && $0.token == .symbol("{") })
    else { return nil }
    guard let state = fields(ofTableAt: start).first(where: { $0.name == "state" }) else {
      return nil
    }
    var places: [String: FieldPlace] = [:]
    let value = state.index + 2
    if tokens.indices.contains(value), tokens[value].token == .symbol("{") {
      for field in fields(ofTableAt: value) where places[field.name] == nil {
        places[field.name] = FieldPlace(line: tokens[field.index].line, index: field.index)
      }
    }
    return (tokens[state.index].line, places)
  }

  /// The named fields of a table, with the indices of tokens that `=` follows.
  private func fields(ofTableAt start: Int) -> [(name: String, index: Int)] {
    var fields: [(String, Int)] = []
    var depth = 0
    var index = start
    while index < tokens.count {
      switch tokens[index].token {
      case .symbol("{"), .symbol("("), .symbol("["): depth += 1
      case .symbol("}"), .symbol(")"), .symbol("]"):
        depth -= 1
        if depth == 0 { return fields }
      // A statement of a function may look so too, as `local a, b = 1`; the first field counts.
      case .name(let name) where depth == 1 && isBegin(index - 1) && isAssigned(index + 1):
        fields.append((name, index))
      case .string(let name)
      where depth == 2 && tokens[index - 1].token == .symbol("[") && isBegin(index - 2)
        && isAssigned(index + 2):
        fields.append((name, index + 1))
      default: break
      }
      index += 1
    }
    return fields
  }

  private func isBegin(_ index: Int) -> Bool {
    [.symbol("{"), .symbol(","), .symbol(";")].contains(tokens[index].token)
  }

  private func isAssigned(_ index: Int) -> Bool {
    index < tokens.count && tokens[index].token == .symbol("=")
  }

  /// The names of the parameters of the function that begins on a line; nil if several do, or none.
  func parameters(at line: Int) -> [String]? {
    let functions = tokens.indices.filter {
      tokens[$0].line == line && tokens[$0].token == .symbol("function")
    }
    guard let function = functions.first,
      let open = tokens[function...].firstIndex(where: { $0.token == .symbol("(") })
    else { return nil }
    var names: [String] = []
    for (token, _) in tokens[(open + 1)...] {
      switch token {
      case .name(let name): names.append(name)
      case .symbol("..."): names.append("...")
      case .symbol(","): break
      default: return names
      }
    }
    return names
  }
}

extension StringProtocol {
  /// The text behind a prefix, without blanks at its ends; nil if it has another prefix.
  func after(_ prefix: String) -> String? {
    hasPrefix(prefix) ? dropFirst(prefix.count).trimmed : nil
  }
}
