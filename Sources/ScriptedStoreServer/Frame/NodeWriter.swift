import ScriptView

/// Writes nodes into a frame. Rows of one shape become runs of a template, which the frame has
/// once.
struct NodeWriter {
  private let isProduction: Bool
  private(set) var templates: [[UInt8]] = []
  private var indices: [[UInt8]: Int] = [:]

  /// The fewest rows of one shape for which a template is shorter than the rows.
  private static let fewestRows = 3

  init(isProduction: Bool) { self.isProduction = isProduction }

  /// Writes a node, or `null`.
  mutating func write(_ node: Value, to text: inout WireText) {
    switch node {
    case .object(let object):
      if let plain = NodeWriter.plainText(object) { return text.append(plain) }
      text.append(json: "{")
      text.append(key: "kind")
      let kind = object["kind"]?.string ?? ""
      text.append(string: kind)
      writeProperties(object, ofKind: kind, to: &text)
      if case .array(let children)? = object["children"], !children.isEmpty {
        text.append(key: "children")
        text.append(json: "[")
        writeChildren(children, haveRows: kind == "forEach", to: &text)
        text.append(json: "]")
      }
      text.append(json: "}")
    case .string, .integer, .float: text.append(WireProperty.visible(node))
    case .null, .boolean: text.append(json: "null")
    case .array: text.append(json: #"{"kind":""}"#)
    }
  }

  /// The text of a `text` that has nothing else; nil for other nodes.
  static func plainText(_ node: Value.Object) -> Value? {
    guard node.count == 2, node["kind"] == "text", let text = node["text"] else { return nil }
    switch text {
    case .string, .integer, .float: return WireProperty.visible(text)
    default: return nil
    }
  }

  /// Writes all properties but `kind` and `children`.
  private mutating func writeProperties(
    _ node: Value.Object, ofKind kind: String, to text: inout WireText
  ) {
    for (name, value) in node where name != "kind" && name != "children" {
      let property = WireProperty(name, value, ofKind: kind, isProduction: isProduction)
      switch property {
      case .never, .removed: continue
      default:
        text.append(key: name)
        write(property, to: &text)
      }
    }
  }

  /// Writes a property; one that the node does not have as `null`.
  mutating func write(_ property: WireProperty, to text: inout WireText) {
    switch property {
    case .never, .removed: text.append(json: "null")
    case .flag: text.append(json: "1")
    case .value(let value): text.append(value)
    case .id(let id): text.append(id: id)
    case .node(let node): write(node, to: &text)
    case .window(let window):
      text.append(Value.array([Value(window.first), Value(window.count), Value(window.total)]))
    }
  }

  // MARK: Rows

  /// Writes nodes with commas between them.
  mutating func writeChildren(_ children: Value.List, haveRows: Bool, to text: inout WireText) {
    guard haveRows, children.count >= NodeWriter.fewestRows else {
      for child in children {
        text.separate()
        write(child, to: &text)
      }
      return
    }
    let shapes = children.map { RowShape($0, isProduction: isProduction) }
    let known = Dictionary(grouping: shapes.compactMap(\.self), by: \.text.bytes)
      .filter { $1.count >= NodeWriter.fewestRows }.mapValues { RowTemplate($0) }
    var index = 0
    while index < children.count {
      text.separate()
      guard let shape = shapes[index]?.text.bytes, let template = known[shape] else {
        write(children[index], to: &text)
        index += 1
        continue
      }
      var end = index + 1
      while end < children.count, shapes[end]?.text.bytes == shape { end += 1 }
      writeRun(of: shapes[index..<end].compactMap(\.self), template, to: &text)
      index = end
    }
  }

  private mutating func index(of template: [UInt8]) -> Int {
    if let known = indices[template] { return known }
    indices[template] = templates.count
    templates.append(template)
    return templates.count - 1
  }

  private mutating func writeRun(
    of rows: [RowShape], _ template: RowTemplate, to text: inout WireText
  ) {
    text.append(json: "[")
    text.append(index(of: template.text))
    text.append(json: ",[")
    writeIDs(rows.map(\.id), to: &text)
    text.append(json: "]")
    if !template.varying.isEmpty {
      text.append(json: ",[")
      for row in rows {
        for value in template.varying {
          text.separate()
          text.append(json: row.values[value])
        }
      }
      text.append(json: "]")
    }
    text.append(json: "]")
  }

  /// Writes ids, and three or more whole numbers in a row as `[first, count]`.
  private func writeIDs(_ ids: [Value], to text: inout WireText) {
    var index = 0
    while index < ids.count {
      var end = index + 1
      if case .integer(let first) = ids[index], abs(Double(first)) < WireID.largestExact / 2 {
        while end < ids.count, case .integer(let next) = ids[end],
          next == first + Int64(end - index)
        { end += 1 }
      }
      text.separate()
      if end - index >= 3 {
        text.append(Value.array([ids[index], Value(end - index)]))
        index = end
      } else {
        text.append(id: ids[index])
        index += 1
      }
    }
  }
}
