/// The path of an action as text: the nested types joined by dots, with an element's id in brackets
/// behind its type. The key of a binding, and a pattern of actions, are written so too.
///
///     path    = segment { "." segment }
///     segment = name [ "[" id "]" ]
///     name    = one or more Unicode scalars other than `.`, `[` and `]`
///     id      = a JSON string, or one or more scalars other than `]` of which the first is no quote
///
/// As an id, `-?digits` is an integer, a float with a fraction or an exponent is that number if it is
/// written as Lua prints it, a JSON string is a string, and `*` in a pattern is any id. Anything else is a
/// string of that text. Blanks have no meaning of their own.
package struct ActionPath: Equatable, Sendable {
  package enum ID: Equatable, Sendable {
    case value(Value)
    case any
  }

  package struct Segment: Equatable, Sendable {
    package var name: String
    package var id: ID?

    package init(name: String, id: ID? = nil) { (self.name, self.id) = (name, id) }

    /// The step without the `*` of a pattern.
    package var step: ActionStep {
      if case .value(let id)? = id {
        ActionStep(type: name, id: id)
      } else {
        ActionStep(type: name)
      }
    }
  }

  package var segments: [Segment]

  /// The names of the segments, without the ids.
  package var names: [String] { segments.map(\.name) }

  private init(segments: [Segment]) { self.segments = segments }

  /// The key of a binding, as `attendees[3].name`: field names, and ids of elements behind those of their lists.
  package init(bindingKey key: String) throws(ActionError) {
    guard key.utf8.contains(UInt8(ascii: "[")) else {
      self.init(segments: key.splitAtDots(keepsEmpty: true).map { Segment(name: $0) })
      return
    }
    try self.init(key)
  }

  package init(_ text: String) throws(ActionError) {
    segments = []
    var rest = text.unicodeScalars[...]
    repeat {
      let segment = SegmentText(rest)
      guard !segment.name.isEmpty else { throw ActionPath.malformed(text, "a type is missing") }
      segments.append(
        Segment(name: String(segment.name), id: try ActionPath.id(of: segment, in: text)))
      rest = segment.rest
      guard segments.count <= maximumDepth else {
        throw ActionError(
          "malformed action path \"\(text.prefix(60))…\": actions nest at most \(maximumDepth) deep"
        )
      }
      guard let next = rest.first else { return }
      guard next == "." else {
        throw ActionPath.malformed(text, "there is a '\(next)' where a '.' or the end should be")
      }
      rest.removeFirst()
    } while true
  }

  private static func malformed(_ text: String, _ reason: String) -> ActionError {
    ActionError("malformed action path \"\(text)\": \(reason)")
  }

  /// The id in the brackets of a segment of the path's `text`; nil without brackets.
  package static func id(
    of segment: SegmentText, in text: String
  ) throws(ActionError) -> ID? {
    guard let inside = segment.id else { return nil }
    if inside.first == "\"" {
      guard let end = inside.endOfQuotes, let value = try? Value(json: String(inside[..<end]))
      else { throw malformed(text, "the string in brackets is not a JSON string") }
      guard segment.isClosed, end == inside.endIndex else {
        throw malformed(text, "a bracket is not closed")
      }
      return .value(value)
    }
    guard segment.isClosed else { throw malformed(text, "a bracket is not closed") }
    if inside.elementsEqual("*".unicodeScalars) { return .any }
    guard !inside.isEmpty else { throw malformed(text, "the id in brackets is empty") }
    if let number = number(Substring(inside)) { return .value(number) }
    return .value(.string(String(inside)))
  }

  /// The number that a text in brackets stands for; nil for other text. A float that is an integer is
  /// written as one, so that `2.0` is a text.
  private static func number(_ text: Substring) -> Value? {
    if text.first != "+", let integer = Int64(text) { return .integer(integer) }
    guard text.count <= longestNumber, text.utf8.contains(where: isDigit),
      text.utf8.allSatisfy({ isDigit($0) || "+-.e".utf8.contains($0) }),
      let number = Double(text), number.isFinite, Int64(exactly: number) == nil,
      "\(Value.float(number))" == text
    else { return nil }
    return .float(number)
  }

  private static let longestNumber = 32

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// The text of an id in brackets. Parsing the text gives the same string.
  package static func text(ofID id: String) -> String {
    let plain =
      !id.isEmpty && id != "*" && number(Substring(id)) == nil
      && !id.unicodeScalars.contains { $0 == "]" || $0 == "\"" }
    return plain ? id : Value.string(id).json()
  }

  /// The text of an id in brackets. Parsing the text of a string or number gives an equal id.
  package static func text(of id: Value) -> String {
    switch id {
    case .string(let id): text(ofID: id)
    case .float(let number): Int64(exactly: number).map { "\($0)" } ?? "\(id)"
    default: "\(id)"
    }
  }

  /// The action that the path names, with the payload in the innermost action. The `ids` replace
  /// the `[*]` in their order; throws if their numbers differ.
  package func action(payload: Value?, ids: [Value] = []) throws(ActionError) -> Value {
    var ids = ids[...]
    var steps: [ActionStep] = []
    var inner: Value?
    for (index, segment) in segments.enumerated() {
      if segment.name == "binding", segment.id == nil, index + 1 < segments.count {
        inner = try binding(from: index, payload)
        break
      }
      guard case .any? = segment.id else {
        steps.append(segment.step)
        continue
      }
      guard let id = ids.popFirst() else {
        throw ActionError("the path \"\(text)\" has more [*] than there are ids; an id may be nil")
      }
      steps.append(ActionStep(type: segment.name, id: id))
    }
    guard ids.isEmpty else { throw ActionError("the path \"\(text)\" has fewer [*] than ids") }
    if inner == nil {
      let last = steps.removeLast()
      guard last.id == nil else {
        throw ActionError(
          "malformed action path \"\(text)\": the element's action is missing behind the brackets")
      }
      inner = try ActionPath.innermost(last.type, payload)
    }
    guard let action = inner.flatMap({ Value.nesting($0, in: steps) }) else {
      throw ActionError(tooDeep: text)
    }
    return action
  }

  private func binding(from index: Int, _ payload: Value?) throws(ActionError) -> Value {
    let key = ActionPath(segments: Array(segments[(index + 1)...])).text
    var object = Value.Object()
    object["type"] = "binding"
    object["key"] = .string(key)
    if let payload {
      guard payload.depth < maximumDepth else { throw ActionError(tooDeep: text) }
      object["value"] = payload
    }
    return .object(object)
  }

  private static func innermost(_ type: String, _ payload: Value?) throws(ActionError) -> Value {
    var object = Value.Object()
    object["type"] = .string(type)
    switch payload {
    case nil: break
    case .object(let fields)?:
      for (key, value) in fields {
        guard key != "type" && key != "action" else {
          throw ActionError("the payload of \(type) may not have a field '\(key)'")
        }
        object[key] = value
      }
    case .array(let elements)? where elements.isEmpty: break
    case let value?:
      guard value.depth < maximumDepth else { throw ActionError(tooDeep: type) }
      object["value"] = value
    }
    return .object(object)
  }

  package var text: String {
    segments.map { segment in
      switch segment.id {
      case nil: segment.name
      case .any?: "\(segment.name)[*]"
      case .value(let id)?: "\(segment.name)[\(ActionPath.text(of: id))]"
      }
    }.joined(separator: ".")
  }
}

/// A segment at the start of a path's text, which may be incomplete or malformed.
///
/// It is of Unicode scalars: in a `Character`, a combining scalar would hide the dot or bracket before it.
package struct SegmentText {
  package let name: Substring.UnicodeScalarView
  /// What stands in the brackets; nil without brackets.
  package let id: Substring.UnicodeScalarView?
  /// Whether the brackets are closed, if there are any. If not, all of the text behind them is in them.
  package let isClosed: Bool
  /// What follows: in a complete path nothing, or a dot and the next segment.
  package let rest: Substring.UnicodeScalarView

  package init(_ text: Substring.UnicodeScalarView) {
    name = text.prefix { $0 != "." && $0 != "[" && $0 != "]" }
    let behind = text[name.endIndex...]
    guard behind.first == "[" else {
      (id, isClosed, rest) = (nil, true, behind)
      return
    }
    let inside = behind.dropFirst()
    let close = inside.endOfQuotes.flatMap { inside[$0...].firstIndex(of: "]") }
    let end = close ?? inside.endIndex
    (id, isClosed, rest) = (inside[..<end], close != nil, inside[end...].dropFirst())
  }

  /// The index of the first scalar outside of brackets that `isEnd` accepts: where a path ends in a text
  /// with more behind it. The end of the text if there is none.
  package static func end(
    of text: String, where isEnd: (Unicode.Scalar) -> Bool
  ) -> String.Index {
    var rest = text.unicodeScalars[...]
    while let first = rest.first, !isEnd(first) {
      rest = first == "[" ? SegmentText(rest).rest : rest.dropFirst()
    }
    return rest.startIndex
  }
}

extension Substring.UnicodeScalarView {
  /// The index behind the string in double quotes with which the text begins; the start if it begins with
  /// none, nil if the string is not closed. A quote behind a backslash is in the string.
  package var endOfQuotes: Index? {
    guard first == "\"" else { return startIndex }
    var rest = dropFirst()
    while let scalar = rest.popFirst() {
      if scalar == "\"" { return rest.startIndex }
      if scalar == "\\" { _ = rest.popFirst() }
    }
    return nil
  }
}

/// Why a value or a path is not an action.
public struct ActionError: Error, Hashable, CustomStringConvertible {
  /// What is wrong, and what is needed.
  public let message: String

  package init(_ message: String) { self.message = message }

  package init(tooDeep path: String) {
    message = "the action \"\(path)\" nests deeper than \(maximumDepth)"
  }

  public var description: String { message }
}

/// One step from a parent to its child: the type of the child's actions and, for an element, its id.
package struct ActionStep: Sendable, Hashable {
  package let type: String
  package let id: Value?

  package init(type: String, id: Value? = nil) { (self.type, self.id) = (type, id) }
}

extension Value {
  /// The action of a child at the end of `steps`, as the parent at their start gets it. Nil if it nests deeper than values may.
  package static func nesting(_ action: Value, in steps: [ActionStep]) -> Value? {
    steps.reversed().reduce(action) { nested, step in
      nested.flatMap { nesting($0, type: step.type, id: step.id) }
    }
  }

  /// The action of a child as its parent gets it. Nil if it nests deeper than values may.
  package static func nesting(_ action: Value, type: String, id: Value? = nil) -> Value? {
    guard action.depth < maximumDepth, id.map({ $0.depth < maximumDepth }) != false else {
      return nil
    }
    var object = Value.Object()
    object["type"] = .string(type)
    if let id { object["id"] = id }
    object["action"] = action
    return .object(object)
  }
}
