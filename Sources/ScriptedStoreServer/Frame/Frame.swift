import ScriptView

// A frame is a function of two trees: `docs/wire-format.md` describes it. Nothing is kept from one
// frame to the next, so that the pages that go from one tree to another one get the same bytes,
// whatever they were sent before.

/// What turns one tree into the next one, as pages get it.
struct Frame {
  /// The JSON text; nil if the trees look the same to a page.
  let text: [UInt8]?

  /// - Parameters:
  ///   - version: the number of the new tree.
  ///   - animation: what the script has said of the change; nil for nothing.
  ///   - isProduction: whether the errors of views stay here.
  init(_ version: Int, from old: Value, to new: Value, animation: Value? = nil, isProduction: Bool)
  {
    var writer = FrameWriter(new, isProduction: isProduction)
    writer.write(ViewDifference.changes(from: old, to: new))
    text = writer.isEmpty ? nil : writer.text(version, animation: animation)
  }
}

/// Writes the changes of one frame.
private struct FrameWriter {
  private var nodes: NodeWriter
  private let isProduction: Bool
  private let newTree: Value
  private var changes = WireText()
  private var path = ViewPath.root

  init(_ newTree: Value, isProduction: Bool) {
    self.newTree = newTree
    self.isProduction = isProduction
    nodes = NodeWriter(isProduction: isProduction)
  }

  var isEmpty: Bool { changes.bytes.isEmpty }

  func text(_ version: Int, animation: Value?) -> [UInt8] {
    var text = WireText()
    text.append(json: "[")
    text.append(version)
    text.append(json: ",[")
    text.append(json: changes.bytes)
    text.append(json: "]")
    if !nodes.templates.isEmpty {
      text.append(json: ",[")
      for template in nodes.templates {
        text.separate()
        text.append(json: template)
      }
      text.append(json: "]")
    } else if animation != nil {
      text.append(json: ",0")
    }
    if let animation {
      text.append(json: ",")
      text.append(animation)
    }
    text.append(json: "]")
    return text.bytes
  }

  mutating func write(_ changes: [ViewChange]) {
    var rest = changes[...]
    while let change = rest.popFirst() {
      switch change {
      case .replace(let path, let node):
        begin(0, path)
        self.changes.append(json: ",")
        nodes.write(node, to: &self.changes)
        end()
      case .set(let path, let properties, let removed): writeSet(path, properties, removed)
      case .insert(let path, let node, let before):
        // Rows are inserted from the last one to the first one. Those side by side are one change.
        var rows = [node]
        while case .insert(path, let node, let next?)? = rest.first,
          next == ViewNode(rows[rows.count - 1]).row
        {
          rows.append(node)
          rest.removeFirst()
        }
        writeInsertion(of: rows.reversed(), at: path, before: before)
      case .remove(let path):
        begin(3, path)
        end()
      case .move(let path, let before):
        begin(4, path)
        end(before)
      case .window(let path, let window): writeSet(path, ["window": window ?? .null], [])
      }
    }
  }

  private mutating func writeInsertion(
    of rows: [Value], at path: ViewPath, before: ViewPath.Row?
  ) {
    begin(2, path)
    changes.append(json: ",[")
    nodes.writeChildren(Value.List(rows), haveRows: ViewNode(rows[0]).row != nil, to: &changes)
    changes.append(json: "]")
    end(before)
  }

  private mutating func writeSet(_ path: ViewPath, _ properties: Value.Object, _ removed: [String])
  {
    var written: [(name: String, property: WireProperty)] = []
    for (name, value) in properties.map({ ($0, $1) }) + removed.map({ ($0, .null) }) {
      // The kind matters for a text or a file that is a `value`, and for the identity of a place, which does not change.
      let mayMatter = name == "value" && (value.string != nil || value.object != nil)
      let kind = mayMatter ? kind(at: path) : ""
      let property = WireProperty(name, value, ofKind: kind, isProduction: isProduction)
      if case .never = property { continue }
      written.append((name, property))
    }
    guard !written.isEmpty else { return }
    begin(1, path)
    changes.append(json: ",{")
    for (name, property) in written {
      changes.append(key: name)
      nodes.write(property, to: &changes)
    }
    changes.append(json: "}")
    end()
  }

  /// The kind of a node, which no change but `replace` alters.
  private func kind(at path: ViewPath) -> String {
    ViewLocation(root: newTree).descending(path)?.node.kind ?? ""
  }

  /// Begins a change. The steps that the path has in common with the one before may be a number.
  private mutating func begin(_ code: Int, _ new: ViewPath) {
    changes.separate()
    changes.append(json: "[")
    changes.append(code)
    changes.append(json: ",[")
    let common = zip(path.steps, new.steps).prefix { $0 == $1 }.count
    var steps = new.steps[...]
    if common > 1 {
      changes.append(-common)
      steps = new.steps[common...]
    }
    for step in steps {
      changes.separate()
      changes.append(step)
    }
    changes.append(json: "]")
    path = new
  }

  private mutating func end(_ before: ViewPath.Row? = nil) {
    if let before {
      changes.append(json: ",")
      changes.append(before)
    }
    changes.append(json: "]")
  }
}
