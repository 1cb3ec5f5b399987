/// The path of an action as text: the nested types joined by dots, with an element's id in brackets
/// behind its type.
///
/// In brackets, `-?digits` is an integer, a float with a fraction or an exponent is that number if it is
/// written as Lua prints it, a JSON string is a string, and `*` in a pattern is any id. Anything else is a
/// string of that text.
package struct ActionPath: Equatable, Sendable {
  package enum ID: Equatable, Sendable {
    case value(Value)
    case any
  }

  package struct Segment: Equatable, Sendable {
    package var name: String
    package var id: ID?

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

  private init(segments: [Segment]) { self.segments = segments }

  /// The key of a binding, as `attendees[3].name`: field names, and ids of elements behind those of their lists.
  package init(bindingKey key: String) throws(ActionError) {
    guard key.utf8.contains(UInt8(ascii: "[")) else {
      self.init(segments: key.splitAtDots(keepsEmpty: true).map { Segment(name: $0, id: nil) })
      return
    }
    try self.init(key)
  }

  package init(_ text: String) throws(ActionError) {
    segments = []
    // Scans Unicode scalars: in a `Character`, a combining scalar would hide the dot or bracket
    // before it.
    var rest = text.unicodeScalars[...]
    repeat {
      let name = rest.prefix { $0 != "." && $0 != "[" && $0 != "]" }
      rest = rest[name.endIndex...]
      guard !name.isEmpty else { throw ActionPath.malformed(text, "a type is missing") }
      var segment = Segment(name: String(name), id: nil)
      if rest.first == "[" { segment.id = try ActionPath.id(&rest, text) }
      segments.append(segment)
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

  private static func id(_ rest: inout Substring.UnicodeScalarView, _ text: String)
    throws(ActionError) -> ID
  {
    rest.removeFirst()
    if rest.first == "\"" {
      var end = rest.index(after: rest.startIndex)
      while end < rest.endIndex, rest[end] != "\"" {
        if rest[end] == "\\" { end = rest.index(after: end) }
        if end < rest.endIndex { end = rest.index(after: end) }
      }
      guard end < rest.endIndex, let value = try? Value(json: String(rest[...end])) else {
        throw malformed(text, "the string in brackets is not a JSON string")
      }
      rest = rest[rest.index(after: end)...]
      guard rest.popFirst() == "]" else { throw malformed(text, "a bracket is not closed") }
      return .value(value)
    }
    guard let close = rest.firstIndex(of: "]") else {
      throw malformed(text, "a bracket is not closed")
    }
    let inside = rest[..<close]
    rest = rest[rest.index(after: close)...]
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
        throw ActionError("the path \"\(text)\" has more [*] than there are ids")
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
