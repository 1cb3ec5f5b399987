/// A stack of owned slots (+1 each). `deinit` releases the slots that remain.
struct SlotStack: ~Copyable {
  private var base: UnsafeMutablePointer<Slot>
  private var capacity: Int
  private(set) var count = 0

  init() {
    capacity = 64
    base = .allocate(capacity: capacity)
  }

  deinit {
    for index in 0..<count { base[index].release() }
    base.deallocate()
  }

  @inline(__always)
  mutating func push(_ owned: Slot) {
    if count == capacity { grow() }
    (base + count).initialize(to: owned)
    count += 1
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Slot>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
    capacity *= 2
  }

  /// The slot (+0) at `index`.
  @inline(__always)
  subscript(index: Int) -> Slot {
    assert(index < count)
    return base[index]
  }

  /// The slots from `index` on. They are valid until the next push.
  @inline(__always)
  func pointer(at index: Int) -> UnsafePointer<Slot> { UnsafePointer(base + index) }

  /// Removes the slots from `count` on without releasing them. Their references have been
  /// transferred.
  @inline(__always)
  mutating func removeTransferred(to count: Int) { self.count = count }

  /// Removes and releases the slots from `count` on.
  mutating func release(to count: Int) {
    for index in count..<self.count { base[index].release() }
    self.count = count
  }
}
