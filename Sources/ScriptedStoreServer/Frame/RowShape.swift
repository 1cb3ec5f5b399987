import ScriptView

/// A row of a `forEach` as a template and the values that fill it.
///
/// Rows that one view has drawn differ in a few values. What they have in common is their shape:
/// the text of the row with a mark for each value.
struct RowShape {
  /// No byte of JSON text.
  static let hole: UInt8 = 0xFF

  /// The text with a hole for each value.
  private(set) var text = WireText()
  /// Each is JSON text.
  private(set) var values: [[UInt8]] = []
  let id: Value
  /// The id as JSON text.
  fileprivate let idText: [UInt8]
  private let isProduction: Bool

  /// Nil for a row that no template can stand for: one that is no node with an id, or has something
  /// that ``NodeWriter`` or the page would read in another way inside of a template.
  init?(_ row: Value, isProduction: Bool) {
    self.isProduction = isProduction
    guard case .object(let node) = row, let key = ViewNode(row).row, key.occurrence == 1 else {
      return nil
    }
    var json = WireText()
    json.append(id: key.id)
    (id, idText) = (key.id, json.bytes)
    guard add(node, isRow: true) else { return nil }
  }

  /// Adds a node. Returns false if there can be no template.
  private mutating func add(_ node: Value.Object, isRow: Bool) -> Bool {
    let kind = node["kind"]?.string ?? ""
    guard kind != "host" else { return false }
    if !isRow, let plain = NodeWriter.plainText(node) {
      addHole(plain)
      return true
    }
    text.append(json: "{")
    text.append(key: "kind")
    text.append(string: kind)
    for (name, value) in node where name != "kind" && !(isRow && name == "id") {
      if name == "children" {
        guard case .array(let children) = value, !children.isEmpty, addChildren(children) else {
          return false
        }
        continue
      }
      switch WireProperty(name, value, ofKind: kind, isProduction: isProduction) {
      case .never, .removed: continue
      case .flag:
        text.append(key: name)
        text.append(json: "1")
      case .value(let value):
        if value.array != nil || value.object != nil {
          // Empty lists and objects in the text of a template are holes.
          return false
        }
        text.append(key: name)
        addHole(value)
      case .id(let id):
        text.append(key: name)
        addHole(WireID.value(of: id))
      case .node, .window: return false
      }
    }
    text.append(json: "}")
    return true
  }

  private mutating func addChildren(_ children: Value.List) -> Bool {
    text.append(key: "children")
    text.append(json: "[")
    for child in children {
      text.separate()
      switch child {
      case .object(let node): if !add(node, isRow: false) { return false }
      case .null, .boolean: text.append(json: "null")
      case .string, .integer, .float: addHole(WireProperty.visible(child))
      case .array: return false
      }
    }
    text.append(json: "]")
    return true
  }

  private mutating func addHole(_ value: Value) {
    text.append(json: [RowShape.hole])
    var json = WireText()
    json.append(value)
    values.append(json.bytes)
  }
}

/// What the rows of one shape have in common.
struct RowTemplate {
  /// JSON text with `[]` for the values that are different, and `{}` for those that are the row's
  /// id.
  let text: [UInt8]
  /// The indices of the values for `[]` among those of a shape.
  let varying: [Int]

  /// - Parameter shapes: of the same text; at least one.
  init(_ shapes: [RowShape]) {
    let first = shapes[0]
    var text: [UInt8] = []
    var varying: [Int] = []
    var index = 0
    for byte in first.text.bytes {
      guard byte == RowShape.hole else {
        text.append(byte)
        continue
      }
      if shapes.allSatisfy({ $0.values[index] == first.values[index] }) {
        text += first.values[index]
      } else if shapes.allSatisfy({ $0.values[index] == $0.idText }) {
        text += "{}".utf8
      } else {
        text += "[]".utf8
        varying.append(index)
      }
      index += 1
    }
    self.text = text
    self.varying = varying
  }
}
