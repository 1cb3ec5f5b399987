import CLua
import ScriptValue

/// Reads the nodes that a view in Swift has returned: writes them onto the tape as C writes those of scripts, and
/// lets ``NodeReader`` read that.
struct HostNodeReader: ~Copyable {
  private let vm: LuaVM
  private var reader: NodeReader

  init(_ vm: LuaVM, _ kinds: NodeKinds, bound: Slot, limit: Int) {
    self.vm = vm
    reader = NodeReader(vm, kinds, bound: (bound, ReadTrace.state), limit: limit)
  }

  mutating func read(
    _ nodes: Value, id: Slot, reusing old: Slot
  ) throws(ScriptError) -> ViewOutput {
    let slot = nodes.ownedSlot()
    defer { slot.release() }
    vm.core.pointee.tapes.to_swift.count = 0
    guard write(slot) else { throw ScriptError("not enough memory", kind: .memory) }
    return try reader.read(id: id, reusing: old)
  }

  /// Writes a node (+0). Returns false if there is no memory.
  private func write(_ node: Slot) -> Bool {
    switch node.tag {
    case .object, .dictionary: return writeObject(node)
    case .string, .integer, .float:
      return add(SL_TAG_NODE, count: 2) && add("kind") && add("text") && add("text") && add(node)
    default: return add(SL_TAG_NULL)
    }
  }

  private func writeObject(_ node: Slot) -> Bool {
    let object = ObjectTree(borrowing: node)
    guard add(SL_TAG_NODE, count: object.count) else { return false }
    var isWritten = true
    object.visit { key, value in
      guard isWritten else { return }
      isWritten = add(key)
      if isWritten {
        isWritten =
          key.stringBytes.elementsEqual("children".utf8) && value.tag == .list
          ? writeList(value) : add(value)
      }
    }
    return isWritten
  }

  private func writeList(_ list: Slot) -> Bool {
    let children = PersistentList(borrowing: list)
    guard add(SL_TAG_SEQUENCE, count: children.count) else { return false }
    for index in 0..<children.count where !write(children.borrow(index)) { return false }
    return true
  }

  private func add(_ tag: Int32, count: Int = 0) -> Bool {
    add { entry in
      entry.tag = UInt8(tag)
      entry.slot = UInt32(count)
    }
  }

  private func add(_ text: StaticString) -> Bool {
    add { entry in
      entry.tag = UInt8(SL_TAG_STRING)
      entry.length = UInt64(text.utf8CodeUnitCount)
      entry.as.bytes = UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
  }

  /// Adds a property (+0): a container by reference.
  private func add(_ slot: Slot) -> Bool {
    add { entry in
      if slot.isContainer {
        DraftArena.putView(slot, generation: 0, into: &entry)
      } else {
        DraftArena.putScalar(slot, into: &entry)
      }
    }
  }

  private func add(_ fill: (inout sl_value) -> Void) -> Bool {
    guard let entry = sl_tape_add(&vm.core.pointee.tapes.to_swift) else { return false }
    entry.pointee = sl_value()
    fill(&entry.pointee)
    return true
  }
}
