import ScriptView
import ScriptedStore

@testable import ScriptedStoreServer

/// Reads frames as a page does, by `docs/wire-format.md`, into the tree that a page has.
struct FrameReader {
  private(set) var version = 0
  private(set) var tree = Value.null
  private(set) var animation = Value.null

  struct Malformed: Error {
    let message: Value
  }

  /// Applies a frame.
  mutating func read(_ text: [UInt8]) throws { try read(Value(json: text)) }

  mutating func read(_ frame: Value) throws {
    guard let new = frame[0].int, let changes = frame[1].array else {
      throw Malformed(message: frame)
    }
    let decoder = NodeDecoder(templates: frame[2].array.map { Array($0) } ?? [])
    var path: [Value] = []
    var decoded: [ViewChange] = []
    for change in changes {
      guard let steps = change[1].array else { throw Malformed(message: change) }
      var all = Array(steps)
      if let shared = steps.first?.int, shared < 0 {
        all = Array(path.prefix(-shared)) + all.dropFirst()
      }
      path = all
      decoded += try decoder.changes(change, at: try FrameReader.path(path))
    }
    tree = try tree.applying(decoded)
    version = new
    animation = frame[3]
  }

  static func path(_ steps: [Value]) throws -> ViewPath {
    guard let path = WireID.path(.array(Value.List(steps))) else {
      throw Malformed(message: .array(Value.List(steps)))
    }
    return path
  }
}

/// Turns what a frame says into the nodes that it stands for.
private struct NodeDecoder {
  let templates: [Value]

  func changes(_ change: Value, at path: ViewPath) throws -> [ViewChange] {
    let before = ViewPath.Row(change[change[0] == 2 ? 3 : 2]).map {
      ViewPath.Row(id: WireID.id($0.id), occurrence: $0.occurrence)
    }
    switch change[0].int {
    case 0: return [.replace(path, node: try node(change[2]))]
    case 1:
      var (properties, removed) = (Value.Object(), [] as [String])
      for (name, value) in change[2].object ?? [:] {
        if value.isNull {
          removed.append(name)
        } else {
          properties[name] = try property(name, value)
        }
      }
      return [.set(path, properties: properties, removed: removed)]
    case 2: return try children(change[2]).map { .insert(path, node: $0, before: before) }
    case 3: return [.remove(path)]
    case 4: return [.move(path, before: before)]
    default: throw FrameReader.Malformed(message: change)
    }
  }

  func node(_ value: Value) throws -> Value {
    guard case .object(let object) = value else {
      return value.isNull ? .null : ["kind": "text", "text": value]
    }
    var node = Value.Object()
    for (name, value) in object {
      if name == "children" {
        node[name] = .array(Value.List(try children(value)))
      } else {
        node[name] = try property(name, value)
      }
    }
    return .object(node)
  }

  private func property(_ name: String, _ value: Value) throws -> Value {
    if name == "id" || name == "selected" { return WireID.id(value) }
    if ViewElement.presentations.contains(name), value.object != nil { return try node(value) }
    return value
  }

  private func children(_ value: Value) throws -> [Value] {
    guard let list = value.array else { throw FrameReader.Malformed(message: value) }
    return try list.flatMap { child in child.array == nil ? [try node(child)] : try rows(child) }
  }

  /// The rows of a run.
  private func rows(_ run: Value) throws -> [Value] {
    guard let index = run[0].int, templates.indices.contains(index), let ids = run[1].array else {
      throw FrameReader.Malformed(message: run)
    }
    var values = (run[2].array ?? []).makeIterator()
    func fill(_ template: Value, id: Value) throws -> Value {
      switch template {
      case .array(let list) where list.isEmpty:
        guard let next = values.next() else { throw FrameReader.Malformed(message: run) }
        return next
      case .array(let list): return .array(Value.List(try list.map { try fill($0, id: id) }))
      case .object(let object) where object.isEmpty: return id
      case .object(let object):
        return .object(Value.Object(try object.map { (key: $0, value: try fill($1, id: id)) }))
      default: return template
      }
    }
    let all = ids.flatMap { id -> [Value] in
      guard let first = id[0].int, let count = id[1].int else { return [id] }
      return (first..<first + count).map { Value($0) }
    }
    let rows = try all.map { id in
      var row = try fill(templates[index], id: id)
      row["id"] = id
      return try node(row)
    }
    guard values.next() == nil else { throw FrameReader.Malformed(message: run) }
    return rows
  }
}

/// What a page has of a tree, said in another way than the encoder does.
func projected(_ tree: Value, isProduction: Bool = false) -> Value {
  guard case .object(let node) = tree else {
    switch tree {
    case .string, .integer, .float: return ["kind": "text", "text": drawn(tree)]
    case .array: return ["kind": ""]
    default: return .null
    }
  }
  let kind = node["kind"]?.string ?? ""
  var result: Value.Object = ["kind": .string(kind)]
  for (name, value) in node where !value.isNull && name != "kind" {
    switch name {
    case "children":
      if let list = value.array, !list.isEmpty {
        result[name] = .array(Value.List(list.map { projected($0, isProduction: isProduction) }))
      }
    case "onAppear", "task", "animation", "compact": break
    case "action", "list", "dismiss":
      if !["child", "forEach", "navigation"].contains(kind) {
        result[name] = name == "action" ? 1 : value
      }
    case "bind", "selection", "focus", "onChange", "onSubmit", "onDelete", "onMove", "onDrop",
      "onTap":
      result[name] = 1
    case "window":
      result[name] = ViewNode(tree).window.map {
        [Value($0.first), Value($0.count), Value($0.total)]
      }
    case "href": result[name] = value.string.flatMap(SafeAddress.link).map { .string($0) }
    case "value" where kind == "file":
      result[name] = ViewFile(value).map { drawn(.string($0.name)) }
    case "file":
      result[name] = ViewFile(value).map { .string(FileAddress.of($0)) }
    case "source": result[name] = value.string.flatMap(SafeAddress.image).map { .string($0) }
    case "error" where value.object != nil && isProduction:
      result[name] = ["message": "this part cannot be shown"]
    case "text", "label", "title", "hint", "footer", "prompt", "message", "icon", "error",
      "currency", "shortcut", "button":
      result[name] = drawn(value)
    case "value" where ["date", "number", "progress"].contains(kind): result[name] = drawn(value)
    default:
      let isNode = ViewElement.presentations.contains(name) && value.object != nil
      result[name] = isNode ? projected(value, isProduction: isProduction) : value
    }
  }
  return .object(result)
}

/// A text as all drawings show it.
private func drawn(_ value: Value) -> Value {
  switch value {
  case .string(let text):
    .string(VisibleText.text(of: text.replacing("\r\n", with: "\n")))
  case .object(let object):
    .object(Value.Object(object.map { (key: $0, value: drawn($1)) }))
  default: value
  }
}
