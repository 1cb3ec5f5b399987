import CLua
import ScriptValue

/// What the view that runs has read and made. Kept between runs, so that its memory is used again.
struct RunningView: ~Copyable {
  /// What the view has read.
  var trace = ReadTrace()
  /// What views have read so far.
  var shapes = ReadShapes()
  /// What `list.count` has found in the view.
  var counts = RunningCounts()
  /// Whose elements a predicate is asked about, outside of a running view. The caller retains it.
  var candidates: Unmanaged<ListMatches>?
  /// The texts of the nodes that were read last.
  var strings = StringCache()
  /// The nodes that the view makes.
  var nodes = NodeStack()
}

/// Reads of the arguments of a running view, which are recorded.
extension DraftArena {
  /// Reads `ref[key]` of a recorded view into `out`. Otherwise as ``get(_:_:_:)``.
  mutating func getRecorded(
    _ ref: UnsafePointer<sl_ref>, _ key: UnsafePointer<sl_key>,
    _ out: UnsafeMutablePointer<sl_value>
  ) {
    var number = ref.pointee.slot
    var slot = Slot.absent
    if let bytes = key.pointee.buffer {
      slot = read(bytes, of: view(ref), number: &number)
    } else if key.pointee.integer >= 1 {
      // No list has anything before its first element, so that the view does not depend on it.
      slot = read(Int(key.pointee.integer) - 1, of: view(ref), number: &number)
    }
    guard slot.isContainer else { return DraftArena.putScalar(slot, into: out) }
    DraftArena.putView(slot, generation: ref.pointee.generation, into: out)
    out.pointee.slot = number
  }

  /// Records the read of a value (+0) at a key of a recorded container. Returns the number of the value; 0 if nothing
  /// below it is recorded.
  @inline(__always)
  private mutating func record(_ slot: Slot, at key: ReadTrace.Key, of number: UInt32) -> UInt32 {
    if slot.isContainer { return views.trace.child(of: number, key, slot) }
    views.trace.readLeaf(number, key)
    return 0
  }

  /// The value (+0) of a key of a container, absent if there is none. `number` is that of the container in the
  /// record, and becomes that of the value; 0 if nothing is recorded.
  mutating func read(
    _ name: UnsafeRawBufferPointer, of container: Slot, number: inout UInt32
  ) -> Slot {
    let position = DraftArena.position(of: name, in: container)
    guard position >= 0 else {
      if number != 0 { views.trace.readAbsent(number, name) }
      number = 0
      return .absent
    }
    let slot = DraftArena.element(of: container, at: position)
    if number != 0 { number = record(slot, at: .position(position), of: number) }
    return slot
  }

  /// The element (+0) at an index of a container, from 0. Otherwise as ``read(_:of:number:)``.
  mutating func read(_ index: Int, of container: Slot, number: inout UInt32) -> Slot {
    guard container.tag == .list, index < ListNode.total(container.address) else {
      if number != 0 { views.trace.readLeaf(number, .index(index)) }
      number = 0
      return .absent
    }
    let slot = ListNode.element(container.address, index)
    if number != 0 { number = record(slot, at: .index(index), of: number) }
    return slot
  }

  /// Where in the state of the view, or in the element of a row, a recorded container lies, as a dotted path; nil if it lies
  /// elsewhere, or in a list.
  func statePath(ofRecorded number: UInt32) -> String? {
    guard views.trace.has(number) else { return nil }
    var names: [String] = []
    var number = number
    while number > ReadTrace.environment {
      let container = views.trace.containers[Int(number) - 1]
      if case .row = container.key { return names.reversed().joined(separator: ".") }
      guard case .position(let position) = container.key else { return nil }
      let parent = views.trace.containers[Int(container.parent) - 1].slot
      names.append(ObjectTree(borrowing: parent).keySlot(position).text)
      number = container.parent
    }
    return number == ReadTrace.state ? names.reversed().joined(separator: ".") : nil
  }

  /// Records that the view depends on all of `ref`, if its reads are recorded.
  @inline(__always)
  mutating func readWhole(_ ref: UnsafePointer<sl_ref>) {
    guard Int32(ref.pointee.kind) == SL_TAG_VIEW, views.trace.has(ref.pointee.slot) else { return }
    views.trace.readWhole(ref.pointee.slot)
  }
}
