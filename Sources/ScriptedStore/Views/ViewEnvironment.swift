import LuaBridge

/// An environment with what a view passes on: the same object as long as both are the same.
struct ViewEnvironment: ~Copyable {
  /// Owned (+1).
  private var base = Slot.absent
  private var added = Slot.absent
  private var sum = Slot.absent

  deinit {
    base.release()
    added.release()
    sum.release()
  }

  /// The environment (+0) with the keys of `passed` (+0) added; valid until the next call.
  mutating func adding(_ passed: Slot, to environment: Slot) -> Slot {
    guard passed.isContainer else { return environment }
    if base.isIdentical(to: environment) && added.isIdentical(to: passed) { return sum }
    var object = Value(borrowing: environment).object ?? Value.Object()
    for (key, value) in Value(borrowing: passed).object ?? Value.Object() { object[key] = value }
    base.release()
    added.release()
    sum.release()
    (base, added) = (environment.retained(), passed.retained())
    sum = Value.object(object).ownedSlot()
    return sum
  }
}
