/// The store cores of a worker, by slot. A slot is used again after ``remove(_:)``.
///
/// It owns the cores (+1). They are unmanaged, so that an action counts no reference.
struct StoreTable: ~Copyable {
  private var slots: [Unmanaged<StoreCore>?] = []
  private var freeSlots: [Int] = []
  /// `StoreSource`s by feature name, of stores without overrides.
  private var sources: [String: StoreSource] = [:]

  /// The core in a slot, borrowed (+0); nil if the slot is free.
  @inline(__always)
  subscript(slot: Int) -> Unmanaged<StoreCore>? { slots[slot] }

  var usedSlots: [Int] { slots.indices.filter { slots[$0] != nil } }

  var cores: [StoreCore] { slots.compactMap { $0?.takeUnretainedValue() } }

  /// Adds a core and returns its slot.
  mutating func add(_ core: StoreCore) -> Int {
    if let slot = freeSlots.popLast() {
      slots[slot] = .passRetained(core)
      return slot
    }
    slots.append(.passRetained(core))
    return slots.count - 1
  }

  /// Removes the core in a slot. Does nothing if the slot is free: it must not be given to two stores.
  mutating func remove(_ slot: Int) {
    guard let core = slots[slot] else { return }
    core.release()
    slots[slot] = nil
    freeSlots.append(slot)
  }

  /// The source of a feature's store. Stores without overrides share one, so that a reload compiles
  /// it once.
  mutating func source(_ feature: String, _ dependencies: [String: Dependency]) -> StoreSource {
    guard dependencies.isEmpty else {
      return StoreSource(.feature(feature), dependencies: dependencies)
    }
    if let cached = sources[feature] { return cached }
    let new = StoreSource(.feature(feature), dependencies: [:])
    sources[feature] = new
    return new
  }
}
