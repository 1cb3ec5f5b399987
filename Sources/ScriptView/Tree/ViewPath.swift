import ScriptValue

/// The way from the root of a view's tree to a node.
///
/// As a value it is a list of steps: `2` is the second child, `[7]` the row with the id 7, `[7, 2]`
/// the second row with this id, and `"sheet"` the child that the node presents as its sheet. So a
/// path is read without the tree.
public struct ViewPath: Hashable, Sendable {
  /// How a path goes on from a node.
  public enum Step: Hashable, Sendable {
    /// A child by its position, from 1. Absent children count.
    case child(Int)
    /// A child of a `forEach` by its id.
    case row(Row)
    /// The child that a node presents: one of ``ViewElement/presentations``.
    case presentation(String)
  }

  /// What identifies a row among those of one `forEach`.
  public struct Row: Hashable, Sendable {
    /// A string or a number.
    public var id: Value
    /// 1 for the first row with this id, 2 for the second one.
    public var occurrence: Int

    public init(id: Value, occurrence: Int = 1) {
      self.id = id
      self.occurrence = occurrence
    }
  }

  public var steps: [Step]

  public init(_ steps: [Step] = []) { self.steps = steps }

  /// The path of the root itself.
  public static let root = ViewPath()

  /// This path with one more step.
  public func appending(_ step: Step) -> ViewPath { ViewPath(steps + [step]) }

  /// Whether this node is inside of the one at `path`, or that node itself.
  public func isInside(_ path: ViewPath) -> Bool { steps.starts(with: path.steps) }
}

// MARK: As a value

extension ViewPath {
  /// Reads a list of steps; nil if that is not what the value is.
  public init?(_ value: Value) {
    guard let list = value.array else { return nil }
    var steps: [Step] = []
    for element in list {
      guard let step = Step(element) else { return nil }
      steps.append(step)
    }
    self.init(steps)
  }

  /// The list of steps.
  public var value: Value { .array(Value.List(steps.lazy.map(\.value))) }
}

extension ViewPath.Step {
  /// Reads a step; nil if the value is none.
  public init?(_ value: Value) {
    switch value {
    case .integer, .float:
      guard let position = value.int, position >= 1 else { return nil }
      self = .child(position)
    case .string(let name):
      guard ViewElement.presentations.contains(name) else { return nil }
      self = .presentation(name)
    case .array:
      guard let row = ViewPath.Row(value) else { return nil }
      self = .row(row)
    default: return nil
    }
  }

  /// The step as a value: a position, `[id]`, or a name.
  public var value: Value {
    switch self {
    case .child(let position): .integer(Int64(position))
    case .row(let row): row.value
    case .presentation(let name): .string(name)
    }
  }
}

extension ViewPath.Row {
  /// Reads `[id]` or `[id, occurrence]`; nil if that is not what the value is.
  public init?(_ value: Value) {
    guard case .array(let parts) = value, parts.count == 1 || parts.count == 2, parts[0].isRowID
    else { return nil }
    guard parts.count == 2 else {
      self.init(id: parts[0])
      return
    }
    guard let occurrence = parts[1].int, occurrence >= 1 else { return nil }
    self.init(id: parts[0], occurrence: occurrence)
  }

  /// `[id]`, or `[id, occurrence]` if that is not 1.
  public var value: Value {
    occurrence == 1 ? [id] : [id, .integer(Int64(occurrence))]
  }
}

// MARK: As text

extension ViewPath: CustomStringConvertible {
  /// The path as messages have it: `2.sheet.1[7].3`. Empty for the root.
  public var description: String {
    steps.reduce(into: "") { text, step in
      switch step {
      case .row(let row): text += row.description
      case .child(let position): text += (text.isEmpty ? "" : ".") + String(position)
      case .presentation(let name): text += (text.isEmpty ? "" : ".") + name
      }
    }
  }
}

extension ViewPath.Row: CustomStringConvertible {
  /// The id in brackets, as paths of actions have it: `[7]`, `[a]`; `[7, 2]` for the second row.
  public var description: String {
    "[" + id.idInBrackets + (occurrence == 1 ? "" : ", \(occurrence)") + "]"
  }
}

extension Value {
  /// An id as it stands in the brackets of a path of actions, or of a binding's key.
  package var idInBrackets: String {
    switch self {
    case .string, .integer, .float: ActionPath.text(of: self)
    default: description
    }
  }
}
