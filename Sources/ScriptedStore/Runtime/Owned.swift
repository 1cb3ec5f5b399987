/// An object that its owner lends without counting references.
struct Owned<Object: AnyObject> {
  let object: Object
  private let link: Unmanaged<Object>

  init(_ object: Object) {
    self.object = object
    link = .passUnretained(object)
  }

  /// Calls `body` with the object without reference counting. The owner must not replace the object meanwhile.
  @inline(__always)
  func borrow<R>(_ body: (Object) -> R) -> R { link._withUnsafeGuaranteedRef(body) }
}
