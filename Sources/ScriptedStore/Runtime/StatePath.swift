import LuaBridge

/// The path from a store's state to a part of it. Unlike ``ValuePath`` it can go to an element by
/// id.
struct StatePath: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    case key(String)
    /// Counts from 0.
    case index(Int)
    /// In a list, the element with this id in this field. In an object, the value under the id.
    case element(id: Value, field: String)
  }

  var steps: [Step]

  init(_ steps: [Step] = []) { self.steps = steps }

  init(_ path: ValuePath) {
    steps = path.components.map { component in
      switch component {
      case .key(let key): .key(key)
      case .index(let index): .index(index)
      }
    }
  }

  func appending(_ other: StatePath) -> StatePath { StatePath(steps + other.steps) }

  /// The part of a state at this path (+0 both), absent if it does not exist.
  ///
  /// - Parameter hints: for each step, where its element was found last. An element that is still
  ///   there is found in O(log n).
  func look(at state: Slot, hints: inout [Int]) -> Slot {
    var slot = state
    for (index, step) in steps.enumerated() {
      slot = step.look(at: slot, hint: &hints[index])
      if slot.isAbsent { break }
    }
    return slot
  }

  /// Hints for a path that was never followed.
  var noHints: [Int] { Array(repeating: 0, count: steps.count) }
}

extension StatePath.Step {
  func look(at slot: Slot, hint: inout Int) -> Slot {
    switch self {
    case .key(let key): return slot.field(named: key)
    case .index(let index): return slot.element(index)
    case .element(.integer(let id), _) where slot.tag != .list: return slot.field(named: String(id))
    case .element(.string(let id), _) where slot.tag != .list: return slot.field(named: id)
    case .element(.float(let id), _) where slot.tag != .list:
      return Int64(exactly: id).map { slot.field(named: String($0)) } ?? .absent
    case .element(let id, var field):
      let wanted = id.ownedSlot()
      defer { wanted.release() }
      return field.withUTF8 { key in
        let key = UnsafeRawBufferPointer(key)
        let guess = slot.element(hint)
        if guess.isContainer, Slot.equal(guess.field(key), wanted) { return guess }
        guard let index = ElementIDs.position(of: wanted, under: key, in: slot) else {
          return .absent
        }
        hint = index
        return slot.element(index)
      }
    }
  }
}
