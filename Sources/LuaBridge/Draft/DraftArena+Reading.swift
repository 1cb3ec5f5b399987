import CLua
import ScriptValue

/// Reads of one draft or view: `draft[key]` and `#`.
extension DraftArena {
  /// Reads `ref[key]` into `out`. C has checked that the ref is alive.
  @inline(__always)
  mutating func get(
    _ ref: UnsafePointer<sl_ref>, _ key: UnsafePointer<sl_key>,
    _ out: UnsafeMutablePointer<sl_value>
  ) {
    let isDraft = Int32(ref.pointee.kind) == SL_TAG_DRAFT
    if isDraft, drafts[Int(ref.pointee.slot)].sharedFields != nil,
      getShared(Int32(ref.pointee.slot), key, out)
    {
      return
    }
    if !isDraft && ref.pointee.slot != 0 && views.trace.has(ref.pointee.slot) {
      return getRecorded(ref, key, out)
    }
    let container = isDraft ? drafts[Int(ref.pointee.slot)].container : view(ref)
    var position = -1
    if let bytes = key.pointee.buffer {
      position = DraftArena.position(of: bytes, in: container)
    } else if container.tag == .list {
      let index = key.pointee.integer
      if index >= 1 && index <= ListNode.total(container.address) { position = Int(index) - 1 }
    }
    guard position >= 0 else {
      out.pointee.tag = UInt8(SL_TAG_ABSENT)
      return
    }
    put(DraftArena.element(of: container, at: position), at: position, of: ref, into: out)
  }

  /// The value of a view (+0).
  @inline(__always)
  func view(_ ref: UnsafePointer<sl_ref>) -> Slot {
    Slot(tag: Tag(rawValue: ref.pointee.tag) ?? .absent, bits: ref.pointee.bits)
  }

  /// The container of a draft or view (+0).
  func container(of ref: UnsafePointer<sl_ref>) -> Slot {
    Int32(ref.pointee.kind) == SL_TAG_DRAFT ? drafts[Int(ref.pointee.slot)].container : view(ref)
  }

  /// The element at a live position (+0).
  @inline(__always)
  static func element(of container: Slot, at position: Int) -> Slot {
    switch container.tag {
    case .object: ObjectNode.slot(of: container.address, at: position)
    case .list: ListNode.element(container.address, position)
    default: ObjectTree(borrowing: container).borrow(position)
    }
  }

  /// The position of a string key in `container`, or -1.
  @inline(__always)
  static func position(of key: UnsafeRawBufferPointer, in container: Slot) -> Int {
    switch container.tag {
    case .object: ObjectNode.withShape(of: container.address) { $0.position(of: key) } ?? -1
    case .dictionary: ObjectTree(borrowing: container).position(of: key) ?? -1
    default: -1
    }
  }

  /// Writes an element (+0) of `ref` to `out`: a scalar by value, a container as a draft if `ref`
  /// is a draft, else as a view.
  @inline(__always)
  mutating func put(
    _ slot: Slot, at position: Int, of ref: UnsafePointer<sl_ref>,
    into out: UnsafeMutablePointer<sl_value>
  ) {
    if !slot.isContainer {
      DraftArena.putScalar(slot, into: out)
    } else if Int32(ref.pointee.kind) == SL_TAG_DRAFT {
      putDraft(child(of: Int32(ref.pointee.slot), at: position, slot), into: out)
    } else {
      DraftArena.putView(slot, generation: ref.pointee.generation, into: out)
    }
  }

  /// Writes a scalar or absent slot (+0) to `out`, which borrows the bytes of a string.
  @inline(__always)
  static func putScalar(_ slot: Slot, into out: UnsafeMutablePointer<sl_value>) {
    out.pointee.tag = slot.tag.rawValue
    out.pointee.flag = 0
    if slot.tag == .string {
      let bytes = slot.stringBytes
      out.pointee.length = UInt64(bytes.count)
      out.pointee.as.bytes = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    } else {
      out.pointee.as.bits = slot.bits
    }
  }

  @inline(__always)
  func putDraft(_ draft: Int32, into out: UnsafeMutablePointer<sl_value>) {
    out.pointee.tag = UInt8(SL_TAG_DRAFT)
    out.pointee.flag = 0
    out.pointee.slot = UInt32(draft)
    out.pointee.length = core.pointee.drafts.valid.generation
    out.pointee.as.bits = 0
  }

  @inline(__always)
  static func putView(
    _ slot: Slot, generation: UInt64, into out: UnsafeMutablePointer<sl_value>
  ) {
    out.pointee.tag = UInt8(SL_TAG_VIEW)
    out.pointee.flag = slot.tag.rawValue
    out.pointee.slot = 0
    out.pointee.length = generation
    out.pointee.as.bits = slot.bits
  }

  mutating func length(_ ref: UnsafePointer<sl_ref>) -> Int {
    if Int32(ref.pointee.kind) == SL_TAG_VIEW, views.trace.has(ref.pointee.slot) {
      views.trace.readLength(ref.pointee.slot)
    }
    return PersistentList.count(container(of: ref))
  }
}

extension sl_key {
  /// The bytes of a string key; nil for an integer.
  @inline(__always)
  var buffer: UnsafeRawBufferPointer? {
    bytes.map { UnsafeRawBufferPointer(start: $0, count: length) }
  }
}
