/// Writes values as JSON text (RFC 8259) directly from their nodes.
struct JSONWriter: ~Copyable {
  private var output = JSONOutput()
  private let isPretty: Bool

  init(_ options: JSONOptions) {
    isPretty = options.contains(.pretty)
  }

  /// All bytes written so far. They are valid until the next write.
  var bytes: UnsafeBufferPointer<UInt8> { output.bytes }

  /// Writes a part of JSON text unchanged.
  mutating func write(_ text: StaticString) { output.text(text) }

  mutating func write(string: String) {
    var string = string
    string.withUTF8 { output.string(UnsafeRawBufferPointer($0)) }
  }

  /// Writes a value (+0). If pretty, its lines are indented by `indent` levels.
  mutating func write(_ value: Slot, indent: Int = 0) {
    switch value.tag {
    case .string: output.string(value.stringBytes)
    case .integer: output.integer(value.integer)
    case .boolean:
      if value.boolean { output.text("true") } else { output.text("false") }
    case .object: writeFlat(value.address, indent: indent)
    case .list: writeList(value.address, indent: indent)
    case .dictionary: writeDictionary(value, indent: indent)
    case .float: output.float(value.float)
    case .empty:
      if value.emptyKind.isObject { output.text("{}") } else { output.text("[]") }
    case .null, .absent: output.text("null")
    }
  }

  private mutating func writeList(_ root: NodeAddress, indent: Int) {
    output.byte(UInt8(ascii: "["))
    var isFirst = true
    writeElements(root, indent: indent + 1, isFirst: &isFirst)
    if isPretty { output.lineBreak(indent: indent) }
    output.byte(UInt8(ascii: "]"))
  }

  private mutating func writeElements(_ node: NodeAddress, indent: Int, isFirst: inout Bool) {
    let count = ListNode.count(node)
    if ListNode.height(node) > 0 {
      for index in 0..<count {
        writeElements(ListNode.child(node, index), indent: indent, isFirst: &isFirst)
      }
      return
    }
    for index in 0..<count {
      separate(indent: indent, isFirst: &isFirst)
      write(ListNode.slot(node, index), indent: indent)
    }
  }

  private mutating func writeFlat(_ node: NodeAddress, indent: Int) {
    output.byte(UInt8(ascii: "{"))
    var isFirst = true
    let shape = Unmanaged<Shape>.fromOpaque(ObjectNode.shapeAddress(of: node))
    for position in 0..<ObjectNode.count(of: node) {
      let key = shape._withUnsafeGuaranteedRef { $0.keyBytes(at: position) }
      writeKey(key, indent: indent + 1, isFirst: &isFirst)
      write(ObjectNode.slot(of: node, at: position), indent: indent + 1)
    }
    if isPretty { output.lineBreak(indent: indent) }
    output.byte(UInt8(ascii: "}"))
  }

  private mutating func writeDictionary(_ slot: Slot, indent: Int) {
    output.byte(UInt8(ascii: "{"))
    var isFirst = true
    let tree = ObjectTree(borrowing: slot)
    var next = tree.livePosition(from: 0)
    while let position = next {
      writeKey(tree.keySlot(position).stringBytes, indent: indent + 1, isFirst: &isFirst)
      write(tree.borrow(position), indent: indent + 1)
      next = tree.livePosition(from: position + 1)
    }
    if isPretty { output.lineBreak(indent: indent) }
    output.byte(UInt8(ascii: "}"))
  }

  @inline(__always)
  private mutating func separate(indent: Int, isFirst: inout Bool) {
    if !isFirst { output.byte(UInt8(ascii: ",")) }
    isFirst = false
    if isPretty { output.lineBreak(indent: indent) }
  }

  @inline(__always)
  private mutating func writeKey(
    _ key: UnsafeRawBufferPointer, indent: Int, isFirst: inout Bool
  ) {
    separate(indent: indent, isFirst: &isFirst)
    output.string(key)
    output.byte(UInt8(ascii: ":"))
    if isPretty { output.byte(UInt8(ascii: " ")) }
  }
}
