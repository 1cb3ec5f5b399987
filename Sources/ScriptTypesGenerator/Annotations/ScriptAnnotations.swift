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
  /// Nil for a text that is not Lua 5.4, which has annotations all the same.
  private let chunk: LuaChunk?
  /// What follows `---` in comments, by line.
  private var comments: [Int: String] = [:]
  private var linesWithCode: Set<Int> = []

  /// - Throws: An error with the line of an annotation that cannot be read.
  init(_ source: [UInt8], script: String) throws(TypesError) {
    self.script = script
    chunk = try? LuaParser.parse(source)
    var lexer = LuaLexer(source)
    do throws(LuaSyntaxError) {
      while true {
        let (token, position) = try lexer.next()
        if token == .end { break }
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
    for call in chunk?.calls ?? [] {
      guard case .call(let callee, let arguments) = call.kind,
        case .global("require") = callee.kind,
        let name = arguments.first?.string
      else { continue }
      requires.append(name)
    }
    try readDeclarations()
  }

  private mutating func readDeclarations() throws(TypesError) {
    var (isInClass, previous) = (false, 0)
    for line in comments.keys.sorted() where !linesWithCode.contains(line) {
      let text = comments[line] ?? ""
      isInClass = isInClass && line == previous + 1
      previous = line
      if let rest = text.after("@class") {
        classes.append(try declaredClass(rest, line))
        isInClass = true
      } else if let rest = text.after("@field"), isInClass {
        if let field = try field(rest, line) { classes[classes.count - 1].fields.append(field) }
      } else if let rest = text.after("@alias") {
        try declareAlias(rest, line)
      } else if text.hasPrefix("|"), let last = aliases.indices.last {
        let member = try type(text.dropFirst(), line)
        if case .union(let members) = aliases[last].type {
          aliases[last].type = .union(members + [member])
        }
      }
    }
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

    init(_ position: SourcePosition) { (line, index) = (position.line, position.offset) }

    static func < (a: FieldPlace, b: FieldPlace) -> Bool { a.index < b.index }
  }

  /// The line of the field `state` in the first table at or after `line`, and the places of the state's
  /// own fields if it is written there.
  func state(from line: Int) -> (line: Int, fields: [String: FieldPlace])? {
    guard let table = first(of: chunk?.tables, where: { $0 >= line }),
      case .table(let fields) = table.kind,
      case (let key?, let value)? = fields.first(where: { $0.key?.string == "state" })
    else { return nil }
    var places: [String: FieldPlace] = [:]
    if case .table(let fields) = value.kind {
      for case (let key?, _) in fields {
        guard let name = key.string, places[name] == nil else { continue }
        places[name] = FieldPlace(key.position)
      }
    }
    return (key.position.line, places)
  }

  /// The names of the parameters of the function that begins on a line, the first if several do; nil if
  /// none does.
  func parameters(at line: Int) -> [String]? {
    guard let function = first(of: chunk?.functions, where: { $0 == line }),
      case .function(let body) = function.kind
    else { return nil }
    return body.parameters.map(\.name) + (body.isVariadic ? ["..."] : [])
  }

  /// The first in the text of the expressions that begin on some lines.
  private func first(
    of expressions: [LuaExpression]?, where isWanted: (_ line: Int) -> Bool
  ) -> LuaExpression? {
    expressions?.filter { isWanted($0.position.line) }
      .min { $0.position.offset < $1.position.offset }
  }
}

extension StringProtocol {
  /// The text behind a prefix, without blanks at its ends; nil if it has another prefix.
  func after(_ prefix: String) -> String? {
    hasPrefix(prefix) ? dropFirst(prefix.count).trimmed : nil
  }
}
