/// A path in a value: keys of objects and indices of arrays.
///
/// The text form joins keys with dots and puts indices in brackets: `todos[3].title`. **Indices
/// count from 0**, as in Swift; paths in Lua error messages count from 1. A key that is empty or
/// contains a dot, a bracket, a quote, a backslash, a line break or a tab is written in brackets
/// and double quotes, `["odd.key"]`, with the escapes `\"`, `\\`, `\n`, `\t` and `\r`. The empty
/// text is the path of the whole value.
public struct ValuePath: Hashable, Sendable {
  /// One step of a path.
  public enum Component: Hashable, Sendable {
    /// A key of an object.
    case key(String)
    /// A zero-based index of an array.
    case index(Int)
  }

  public var components: [Component]

  /// The path of the whole value.
  public static let root = ValuePath([])

  public init(_ components: [Component]) { self.components = components }

  /// Returns this path with one more step.
  public func appending(_ component: Component) -> ValuePath {
    ValuePath(components + [component])
  }
}

/// The reason why a path could not be parsed or followed.
public struct ValuePathError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text of the path, or of its part up to the step that failed.
  public let path: String
  public let reason: String

  public var description: String { "\(path): \(reason)" }
}

extension ValuePath {
  /// Parses a path. A key without quotes may contain any character except `.`, `[` and `]`.
  public init(_ text: String) throws(ValuePathError) {
    func fail(_ reason: String) -> ValuePathError { ValuePathError(path: text, reason: reason) }
    var components: [Component] = []
    // Iterates over Unicode scalars, because a combining character would hide a dot or a bracket
    // inside one `Character`.
    var rest = text.unicodeScalars[...]
    var expectsKey = true
    while let first = rest.first {
      if first == "[" {
        rest.removeFirst()
        components.append(try ValuePath.bracket(&rest, fail))
        expectsKey = false
        continue
      }
      if first == "." {
        guard !expectsKey else { throw fail("a key is missing before a dot") }
        rest.removeFirst()
        guard let next = rest.first, next != ".", next != "[" else {
          throw fail("a key is missing after a dot")
        }
        expectsKey = true
        continue
      }
      guard expectsKey else { throw fail("a dot is missing after a bracket") }
      let key = rest.prefix { $0 != "." && $0 != "[" }
      guard !key.contains("]") else { throw fail("a bracket is closed that was not opened") }
      components.append(.key(String(key)))
      rest = rest[key.endIndex...]
      expectsKey = false
    }
    self.components = components
  }

  private static func bracket(
    _ rest: inout Substring.UnicodeScalarView, _ fail: (String) -> ValuePathError
  ) throws(ValuePathError) -> Component {
    if rest.first == "\"" {
      rest.removeFirst()
      var key = String.UnicodeScalarView()
      while let scalar = rest.popFirst(), scalar != "\"" {
        guard scalar == "\\" else {
          key.append(scalar)
          continue
        }
        switch rest.popFirst() {
        case "n": key.append("\n")
        case "t": key.append("\t")
        case "r": key.append("\r")
        case let escaped? where escaped == "\\" || escaped == "\"": key.append(escaped)
        default: throw fail("a key has an unknown escape")
        }
      }
      guard rest.popFirst() == "]" else { throw fail("a bracket is not closed") }
      return .key(String(key))
    }
    let digits = rest.prefix { $0 != "]" }
    guard digits.endIndex < rest.endIndex else { throw fail("a bracket is not closed") }
    guard let index = Int(Substring(digits)), index >= 0, digits.allSatisfy({ "0"..."9" ~= $0 })
    else {
      throw fail("`[\(Substring(digits))]` is neither an index nor a key in double quotes")
    }
    rest = rest[digits.endIndex...].dropFirst()
    return .index(index)
  }
}

extension ValuePath: ExpressibleByStringLiteral {
  /// Parses a literal. A literal that is not a path is a precondition failure; use `init(_:)` for
  /// text from outside.
  public init(stringLiteral value: String) {
    do {
      try self.init(value)
    } catch {
      preconditionFailure(error.description)
    }
  }
}

extension ValuePath: CustomStringConvertible {
  /// The text of the path, which parses as the same path.
  public var description: String {
    var text = ""
    for component in components {
      switch component {
      case .index(let index):
        text += "[\(index)]"
      case .key(let key) where key.isEmpty || ValuePath.needsQuotes(key):
        var quoted = String.UnicodeScalarView()
        for scalar in key.unicodeScalars {
          switch scalar {
          case "\n": quoted += "\\n".unicodeScalars
          case "\t": quoted += "\\t".unicodeScalars
          case "\r": quoted += "\\r".unicodeScalars
          case "\\", "\"": quoted += ["\\", scalar]
          default: quoted.append(scalar)
          }
        }
        text += "[\"" + String(quoted) + "\"]"
      case .key(let key):
        text += text.isEmpty ? key : ".\(key)"
      }
    }
    return text
  }

  private static func needsQuotes(_ key: String) -> Bool {
    key.unicodeScalars.contains { ".[]\"\\\n\t\r".unicodeScalars.contains($0) }
  }
}
