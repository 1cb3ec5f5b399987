import CLua
import ScriptValue

/// Reads the nodes that `sl_view` has put on the tape, next to those of the run before: a node, or a property, that
/// equals the one before it is that one.
struct NodeReader: ~Copyable {
  let vm: LuaVM
  let kinds: NodeKinds
  /// What `bind` reads from: a container (+0), and its number in the record of reads; 0 if it is not recorded.
  let bound: (slot: Slot, number: UInt32)
  /// Whether fields may be bound. The element of a row may be no part of the state.
  let bindsFields: Bool
  /// The most nodes.
  let limit: Int
  private var path: [Int] = []
  private var made = NodeStack()
  private var output = ViewOutput()

  init(
    _ vm: LuaVM, _ kinds: NodeKinds, bound: (slot: Slot, number: UInt32), bindsFields: Bool = true,
    limit: Int
  ) {
    self.bindsFields = bindsFields
    self.vm = vm
    self.kinds = kinds
    self.bound = bound
    self.limit = limit
  }

  /// Reads all nodes.
  ///
  /// - Parameters:
  ///   - id: the `id` that the outermost node gets, borrowed (+0); absent for none.
  ///   - old: the outermost node of the run before, borrowed (+0); null for none.
  mutating func read(id: Slot, reusing old: Slot) throws(ScriptError) -> ViewOutput {
    swap(&made, &vm.arena.pointee.views.nodes)
    defer {
      made.removeAll()
      swap(&made, &vm.arena.pointee.views.nodes)
    }
    var at = UnsafePointer(vm.core.pointee.tapes.to_swift.items)
    do throws(DraftError) {
      output.node = try node(&at, id: id, old)
    } catch {
      var rest = TapeReader(vm: vm, items: at)
      rest.releaseRest()
      throw output.count > limit ? .tooManyNodes() : ScriptError(error.message)
    }
    var result = ViewOutput()
    swap(&result, &output)
    return result
  }

  /// Reads the next node (+1); null for an absent child.
  private mutating func node(
    _ at: inout UnsafePointer<sl_value>?, id: Slot, _ old: Slot
  ) throws(DraftError) -> Slot {
    guard let head = at?.pointee else { return .null }
    at = at.map { $0 + 1 }
    let isNode = Int32(head.tag) == SL_TAG_NODE
    guard isNode || !id.isAbsent else { return .null }
    output.count += 1
    guard output.count <= limit else { throw DraftError(message: "too many nodes") }
    var node = NodeParts(made.beginNode(old))
    // The node of a row whose view returned nothing is there, so that the row keeps its id.
    if !isNode { made.add("kind", .string("nothing"), to: &node.properties) }
    for _ in 0..<(isNode ? head.slot : 0) { try property(&at, &node) }
    guard node.kind >= 0 || !isNode else { throw DraftError(message: "a node needs a kind") }
    if !id.isAbsent { made.add("id", id.retained(), to: &node.properties) }
    if !node.compact.isAbsent { fold(&node) }
    try addBound(&node)
    if kinds.has(.place, node.kind) { addPlace(node) }
    if kinds.has(.hiding, node.kind) { output.mayHide = true }
    if let notes = node.notes { add(notes, of: node) }
    return made.endNode(node.properties, &vm.arena.pointee.records)
  }

  // MARK: Properties

  private mutating func property(
    _ at: inout UnsafePointer<sl_value>?, _ node: inout NodeParts
  ) throws(DraftError) {
    guard let key = at?.pointee.stringBytes, let value = at.map({ $0 + 1 }) else { return }
    let role = kinds.keys.role(of: key)
    switch Int32(value.pointee.tag) {
    case SL_TAG_FUNCTION:
      at = value + 1
      node.note {
        $0.functions.append(
          .init(
            name: String(decoding: key, as: UTF8.self),
            function: LuaFunction(vm: vm, slot: Int32(value.pointee.slot)),
            capturesArgument: Int32(value.pointee.flag) & SL_CAPTURES_ARGUMENT != 0,
            capturesState: Int32(value.pointee.flag) & SL_CAPTURES_STATE != 0))
      }
    case SL_TAG_SEQUENCE where role == .children:
      at = value + 1
      try children(Int(value.pointee.slot), &at, of: &node)
    case SL_TAG_STRING:
      at = value + 1
      try text(value.pointee.stringBytes, key, role, &node)
    default:
      at = value
      if value.pointee.slot != 0, Int32(value.pointee.tag) == SL_TAG_VIEW,
        let path = vm.arena.pointee.statePath(ofRecorded: value.pointee.slot)
      {
        node.note { $0.paths[String(decoding: key, as: UTF8.self)] = path }
      }
      let slot = made.append(key, try vm.arena.pointee.readChecked(&at), to: &node.properties)
      if let role { note(slot, role, key, &node) }
    }
  }

  private mutating func children(
    _ count: Int, _ at: inout UnsafePointer<sl_value>?, of node: inout NodeParts
  ) throws(DraftError) {
    let old = made.before(NodeStack.children, in: node.properties)
    let first = made.beginChildren()
    path.append(0)
    for position in 0..<count {
      path[path.count - 1] = position
      let before = old.element(position)
      made.addChild(try self.node(&at, id: .absent, before))
    }
    path.removeLast()
    made.endChildren(from: first, old, of: &node.properties)
  }

  /// Adds a property that is a text.
  private mutating func text(
    _ text: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ role: NodeKeys.Role?,
    _ node: inout NodeParts
  ) throws(DraftError) {
    if role == .kind {
      guard let kind = kinds.index(of: text) else { throw unknownKind(text) }
      node.kind = kind
      made.append(key, .owning(kinds.name(kind)), to: &node.properties)
      return
    }
    if role == .presentation {
      let child = Value(owning: vm.arena.pointee.views.strings.string(text))
      node.note { $0.presented.append((String(decoding: key, as: UTF8.self), child)) }
      return
    }
    let slot = made.append(key, text: text, to: &node.properties, &vm.arena.pointee.views.strings)
    if let role { note(slot, role, key, &node) }
  }

  private func unknownKind(_ text: UnsafeRawBufferPointer) -> DraftError {
    let name = String(decoding: text, as: UTF8.self)
    let nearest = Suggestion.nearest(to: name, in: kinds.all)
    return DraftError(
      message: "there is no element '\(name)'" + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
  }

  /// Notes a property (+0) that the reader has to know.
  private mutating func note(
    _ slot: Slot, _ role: NodeKeys.Role, _ key: UnsafeRawBufferPointer, _ node: inout NodeParts
  ) {
    switch role {
    case .animation: node.animation = slot
    case .compact where slot.tag == .string: node.compact = slot
    case .action: output.add(action: slot)
    case .appearing:
      output.add(action: slot)
      node.note {
        $0.appearing.append((String(decoding: key, as: UTF8.self), Value(borrowing: slot)))
      }
    case .bound(let property) where slot.tag == .string:
      switch property {
      case .value: node.bound.value = slot
      case .selected: node.bound.selected = slot
      case .focused: node.bound.focused = slot
      }
    default: break
    }
  }

  /// Gives the node the kind that `compact` names, if `env.width` is compact.
  private mutating func fold(_ node: inout NodeParts) {
    guard kinds.has(.folding, node.kind), let kind = kinds.index(of: node.compact.stringBytes)
    else { return }
    output.dependsOnWidth = true
    var number = ReadTrace.environment
    let environment = vm.arena.pointee.views.trace.environmentOfView
    let width = "width".withUTF8Bytes {
      vm.arena.pointee.read($0, of: environment, number: &number)
    }
    guard width.tag == .string, width.stringBytes.elementsEqual("compact".utf8) else { return }
    node.kind = kind
    made.add("kind", .owning(kinds.name(kind)), to: &node.properties)
  }

  // MARK: Bindings

  /// Adds what the bound fields hold.
  private mutating func addBound(_ node: inout NodeParts) throws(DraftError) {
    let paths = node.bound
    if paths.value.isAbsent && paths.selected.isAbsent && paths.focused.isAbsent { return }
    guard bindsFields else {
      throw DraftError(
        message: """
          a row binds a field of its element, which is in no list of the state with an id in each element; pass ui.forEach \
          such a list, without an id key, or use `value` and `onChange`
          """)
    }
    addBound("value", node.bound.value, &node, mayBeAbsent: false)
    // Nothing is selected, or has the focus.
    addBound("selected", node.bound.selected, &node, mayBeAbsent: true)
    addBound("focused", node.bound.focused, &node, mayBeAbsent: true)
  }

  private mutating func addBound(
    _ name: StaticString, _ path: Slot, _ node: inout NodeParts, mayBeAbsent: Bool
  ) {
    guard !path.isAbsent else { return }
    let value = look(at: path)
    if value.isAbsent {
      let key = path.text
      if mayBeAbsent || kinds.has(.clearable, node.kind) {
        output.absentSelections.append(key)
      } else {
        output.absentBindings.append(key)
      }
    }
    made.add(name, value.isAbsent ? .null : value, to: &node.properties)
  }

  /// The value (+1) at a dotted path of what is bound; absent if there is none.
  private mutating func look(at path: Slot) -> Slot {
    var slot = bound.slot
    var number = bound.number
    for name in path.stringBytes.split(separator: UInt8(ascii: ".")) {
      slot = vm.arena.pointee.read(
        UnsafeRawBufferPointer(rebasing: name), of: slot, number: &number)
    }
    if slot.isContainer, number != 0 { vm.arena.pointee.views.trace.readWhole(number) }
    return slot.retained()
  }

  // MARK: Places

  private mutating func addPlace(_ node: NodeParts) {
    let fields = made.copy(of: node.properties, &vm.arena.pointee.records)
    output.places.append(
      .init(
        path: path, kind: kinds.name(node.kind).string, fields: Value(owning: fields),
        functions: node.notes?.functions ?? [], paths: node.notes?.paths ?? [:]))
  }

  private mutating func add(_ notes: NodeParts.Notes, of node: NodeParts) {
    // Lua's tables have no order. This one makes each run the same.
    for (name, child) in notes.presented.sorted(by: { $0.name < $1.name }) {
      output.places.append(.init(path: path, kind: name, fields: child))
    }
    // `nil` alone would be a null value.
    let transaction: Value? =
      node.animation.isAbsent ? nil : ["animation": Value(borrowing: node.animation)]
    for (property, action) in notes.appearing.sorted(by: { $0.property < $1.property }) {
      output.appearing.append(
        .init(path: path, property: property, action: action, transaction: transaction))
    }
  }
}

/// What the reader knows of the node that it reads. Slots are borrowed (+0) from the properties.
private struct NodeParts {
  /// What few nodes have.
  struct Notes {
    var functions: [ViewOutput.Function] = []
    /// For each property whose value is a container of the view's state: the container's dotted path in the state.
    var paths: [String: String] = [:]
    var presented: [(name: String, child: Value)] = []
    var appearing: [(property: String, action: Value)] = []
  }

  var properties: NodeStack.Node
  var kind = -1
  /// The paths of bound fields, absent for none.
  var bound = (value: Slot.absent, selected: Slot.absent, focused: Slot.absent)
  var animation = Slot.absent
  /// The property `compact`: the name of the kind on a narrow screen. Absent for none.
  var compact = Slot.absent
  private(set) var notes: Notes?

  init(_ properties: NodeStack.Node) { self.properties = properties }

  mutating func note(_ body: (inout Notes) -> Void) {
    var notes = notes ?? Notes()
    body(&notes)
    self.notes = notes
  }
}

/// Writes the nodes that a view in Swift has returned onto the tape, as C writes those of scripts, so that
/// ``NodeReader`` reads them.
struct NodeWriter {
  private let core: UnsafeMutablePointer<sl_vm>
  /// Whether there was memory for all of them.
  private(set) var isComplete = true

  init(core: UnsafeMutablePointer<sl_vm>) {
    self.core = core
    sl_begin_state_tape(&core.pointee.tapes)
  }

  /// Adds a node (+0).
  mutating func add(node: Slot) {
    switch node.tag {
    case .object, .dictionary:
      let object = ObjectTree(borrowing: node)
      put(SL_TAG_NODE, count: object.count)
      object.visit { key, value in
        add(key)
        if key.isText("children"), value.tag == .list {
          put(SL_TAG_SEQUENCE, count: PersistentList.count(value))
          PersistentList(borrowing: value).visit { add(node: $0) }
        } else {
          add(value)
        }
      }
    case .string, .integer, .float:
      put(SL_TAG_NODE, count: 2)
      for text in ["kind", "text", "text"] as [StaticString] {
        put {
          $0.tag = UInt8(SL_TAG_STRING)
          $0.length = UInt64(text.bytes.count)
          $0.as.bytes = text.bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        }
      }
      add(node)
    default: put(SL_TAG_NULL, count: 0)
    }
  }

  /// Adds a name or a property (+0): a container by reference.
  private mutating func add(_ slot: Slot) {
    put {
      if slot.isContainer {
        DraftArena.putView(slot, generation: 0, into: &$0)
      } else {
        DraftArena.putScalar(slot, into: &$0)
      }
    }
  }

  private mutating func put(_ tag: Int32, count: Int) {
    put {
      $0.tag = UInt8(tag)
      $0.slot = UInt32(count)
    }
  }

  private mutating func put(_ fill: (inout sl_value) -> Void) {
    guard isComplete, let entry = sl_tape_add(&core.pointee.tapes.to_swift) else {
      isComplete = false
      return
    }
    entry.pointee = sl_value()
    fill(&entry.pointee)
  }
}
